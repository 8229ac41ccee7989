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

// post puts a report on a pull request: one comment, which later runs update in
// place. Number and commit come from a job that ran the pull request's code, and
// are believed only if GitHub says the same.
type post struct {
	api, token string // of GitHub's REST API, "https://api.github.com"
	repo       string // owner/name
	number     string // of the pull request
	commit     string // its head, when the report was made
}

var (
	repoPattern   = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	numberPattern = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	// The account that workflows comment as. A comment of anybody else is left
	// alone, whatever it begins with.
	workflowAccount = "github-actions[bot]"
)

// run returns what it did.
func (p post) run(text string) (string, error) {
	switch {
	case !repoPattern.MatchString(p.repo):
		return "", fmt.Errorf("%q is not a repository", p.repo)
	case !numberPattern.MatchString(p.number):
		return "", fmt.Errorf("%q is not the number of a pull request", p.number)
	case !commitPattern.MatchString(p.commit):
		return "", fmt.Errorf("%q is not the hash of a commit", p.commit)
	case !strings.HasPrefix(text, Marker+"\n") || len(text) > maxComment:
		return "", errors.New("the text is not a report")
	}
	var pull struct {
		State string
		Head  struct{ SHA string }
	}
	if err := p.call("GET", "/pulls/"+p.number, nil, &pull); err != nil {
		return "", err
	}
	if pull.Head.SHA != p.commit || pull.State != "open" {
		return "nothing to do: the pull request is closed, or has another head by now", nil
	}
	id, err := p.find()
	if err != nil {
		return "", err
	}
	body := map[string]string{"body": text}
	if id == 0 {
		return "the comment was made", p.call("POST", "/issues/"+p.number+"/comments", body, nil)
	}
	return "the comment was updated", p.call("PATCH", fmt.Sprintf("/issues/comments/%d", id), body, nil)
}

// find returns the id of the comment, 0 if there is none yet.
func (p post) find() (int64, error) {
	const size = 100
	for page := 1; ; page++ {
		var comments []struct {
			ID   int64
			Body string
			User struct{ Login string }
		}
		path := fmt.Sprintf("/issues/%s/comments?per_page=%d&page=%d", p.number, size, page)
		if err := p.call("GET", path, nil, &comments); err != nil {
			return 0, err
		}
		for _, c := range comments {
			if c.User.Login == workflowAccount && strings.HasPrefix(c.Body, Marker) {
				return c.ID, nil
			}
		}
		if len(comments) < size {
			return 0, nil
		}
	}
}

func (p post) call(method, path string, body, result any) error {
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
