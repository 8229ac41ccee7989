package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// pull is the pull request that a report is about. Number and commit come from
// a job that ran the pull request's code, and are believed only if GitHub says
// the same.
type pull struct {
	api, token string // of GitHub's REST API, "https://api.github.com"
	repo       string // owner/name
	number     string // of the pull request
	commit     string // its head, when the report was made
	from       string // owner/name of the repository that the head is in; "" for any
}

var (
	repoPattern   = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	cleanPattern  = regexp.MustCompile(`^[0-9a-f]{40}$`)
	numberPattern = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	// The account that workflows comment as. A comment of anybody else is left
	// alone, whatever it begins with.
	workflowAccount = "github-actions[bot]"
)

// base returns the commit that a report on the pull request must be against: the
// last one that its head has in common with the branch that it is for. It
// returns "" if there is nothing to report on: the pull request is closed, or has
// another head by now.
func (p pull) base() (string, error) {
	switch {
	case !repoPattern.MatchString(p.repo):
		return "", fmt.Errorf("%q is not a repository", p.repo)
	case p.from != "" && !repoPattern.MatchString(p.from):
		return "", fmt.Errorf("%q is not a repository", p.from)
	case !numberPattern.MatchString(p.number):
		return "", fmt.Errorf("%q is not the number of a pull request", p.number)
	case !cleanPattern.MatchString(p.commit):
		return "", fmt.Errorf("%q is not the hash of a commit", p.commit)
	}
	var answer struct {
		State string
		Head  struct {
			SHA  string
			Repo *struct {
				FullName string `json:"full_name"`
			}
		}
		Base struct{ SHA string }
	}
	if err := p.call("GET", "/pulls/"+p.number, nil, &answer); err != nil {
		return "", err
	}
	if answer.State != "open" || answer.Head.SHA != p.commit {
		return "", nil
	}
	if p.from != "" && (answer.Head.Repo == nil || answer.Head.Repo.FullName != p.from) {
		return "", fmt.Errorf("pull request %s is not from %s", p.number, p.from)
	}
	var compared struct {
		MergeBase struct{ SHA string } `json:"merge_base_commit"`
	}
	if !cleanPattern.MatchString(answer.Base.SHA) {
		return "", fmt.Errorf("GitHub gives %q as the base", answer.Base.SHA)
	}
	// Of the commits and files that come with it, one is enough.
	if err := p.call("GET", "/compare/"+answer.Base.SHA+"..."+p.commit+"?per_page=1", nil, &compared); err != nil {
		return "", err
	}
	if !cleanPattern.MatchString(compared.MergeBase.SHA) {
		return "", fmt.Errorf("GitHub gives %q as the merge base", compared.MergeBase.SHA)
	}
	return compared.MergeBase.SHA, nil
}

// post puts a report on the pull request, against this commit: one comment, which
// later runs update in place. It returns what it did.
func (p pull) post(text, against string) (string, error) {
	if !strings.HasPrefix(text, Marker+"\n") || len(text) > maxComment {
		return "", errors.New("the text is not a report")
	}
	base, err := p.base()
	if err != nil {
		return "", err
	}
	if base == "" {
		return "nothing to do: the pull request is closed, or has another head by now", nil
	}
	if base != against {
		return "", fmt.Errorf("the report is against %q, the pull request against %s", against, base)
	}
	ids, err := p.find()
	if err != nil {
		return "", err
	}
	body := map[string]string{"body": text}
	if len(ids) == 0 {
		return "the comment was made", p.call("POST", "/issues/"+p.number+"/comments", body, nil)
	}
	if err := p.call("PATCH", fmt.Sprintf("/issues/comments/%d", ids[0]), body, nil); err != nil {
		return "", err
	}
	// Two runs that made one each at the same time.
	for _, id := range ids[1:] {
		if err := p.call("DELETE", fmt.Sprintf("/issues/comments/%d", id), nil, nil); err != nil {
			return "", err
		}
	}
	return "the comment was updated", nil
}

// find returns the ids of the comments that earlier runs made, of which there
// should be one at most.
func (p pull) find() ([]int64, error) {
	const size = 100
	var ids []int64
	for page := 1; ; page++ {
		var comments []struct {
			ID   int64
			Body string
			User struct{ Login string }
		}
		path := fmt.Sprintf("/issues/%s/comments?per_page=%d&page=%d", p.number, size, page)
		if err := p.call("GET", path, nil, &comments); err != nil {
			return nil, err
		}
		for _, c := range comments {
			if c.User.Login == workflowAccount && strings.HasPrefix(c.Body, Marker) {
				ids = append(ids, c.ID)
			}
		}
		if len(comments) < size {
			return ids, nil
		}
	}
}

func (p pull) call(method, path string, body, result any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, p.api+"/repos/"+p.repo+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(result)
}
