package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// github answers as the REST API does, about one pull request, from the fork
// somebody/rowjet. Its branch is at commitC, and has commitB in common with it.
type github struct {
	head, state string
	comments    []map[string]any // id, body, user
	calls       []string         // that change something
	bodies      []string
}

func (g *github) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, `{"message": "Bad credentials"}`, http.StatusUnauthorized)
		return
	}
	switch {
	case r.Method == "GET" && r.URL.Path == "/repos/rowjet/rowjet/pulls/12":
		json.NewEncoder(w).Encode(map[string]any{"state": g.state, "base": map[string]string{"sha": commitC},
			"head": map[string]any{"sha": g.head, "repo": map[string]string{"full_name": "somebody/rowjet"}}})
	case r.Method == "GET" && r.URL.Path == "/repos/rowjet/rowjet/compare/"+commitC+"..."+commitA:
		json.NewEncoder(w).Encode(map[string]any{"merge_base_commit": map[string]string{"sha": commitB}, "files": []string{}})
	case r.Method == "GET" && r.URL.Path == "/repos/rowjet/rowjet/issues/12/comments":
		var size, page int
		fmt.Sscan(r.URL.Query().Get("per_page"), &size)
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		first := min((page-1)*size, len(g.comments))
		json.NewEncoder(w).Encode(g.comments[first:min(first+size, len(g.comments))])
	case r.Method == "DELETE":
		g.calls = append(g.calls, r.Method+" "+r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == "POST" || r.Method == "PATCH":
		var body map[string]string
		json.NewDecoder(r.Body).Decode(&body)
		g.calls = append(g.calls, r.Method+" "+r.URL.Path)
		g.bodies = append(g.bodies, body["body"])
	default:
		http.NotFound(w, r)
	}
}

func comment(id int, login, body string) map[string]any {
	return map[string]any{"id": id, "body": body, "user": map[string]string{"login": login}}
}

func TestPost(t *testing.T) {
	report := Marker + "\nreport"
	var long []map[string]any
	for i := range 130 {
		long = append(long, comment(i+1, "somebody", "hello"))
	}
	long = append(long, comment(777, workflowAccount, Marker+"\nold"))
	for name, c := range map[string]struct {
		api  github
		want string
		call string
	}{
		"no comment yet":      {github{head: commitA, state: "open"}, "the comment was made", "POST /repos/rowjet/rowjet/issues/12/comments"},
		"one on page 2":       {github{head: commitA, state: "open", comments: long}, "the comment was updated", "PATCH /repos/rowjet/rowjet/issues/comments/777"},
		"somebody's":          {github{head: commitA, state: "open", comments: []map[string]any{comment(5, "somebody", Marker)}}, "the comment was made", "POST /repos/rowjet/rowjet/issues/12/comments"},
		"another workflow's":  {github{head: commitA, state: "open", comments: []map[string]any{comment(5, workflowAccount, "other "+Marker)}}, "the comment was made", "POST /repos/rowjet/rowjet/issues/12/comments"},
		"two of two runs":     {github{head: commitA, state: "open", comments: []map[string]any{comment(5, workflowAccount, Marker), comment(6, workflowAccount, Marker)}}, "the comment was updated", "PATCH /repos/rowjet/rowjet/issues/comments/5, DELETE /repos/rowjet/rowjet/issues/comments/6"},
		"a head that went on": {github{head: commitB, state: "open"}, "nothing to do: the pull request is closed, or has another head by now", ""},
		"a closed one":        {github{head: commitA, state: "closed"}, "nothing to do: the pull request is closed, or has another head by now", ""},
	} {
		server := httptest.NewServer(&c.api)
		p := pull{api: server.URL, token: "secret", repo: "rowjet/rowjet", number: "12", commit: commitA, from: "somebody/rowjet"}
		got, err := p.post(report, commitB)
		server.Close()
		if err != nil || got != c.want || strings.Join(c.api.calls, ", ") != c.call {
			t.Errorf("%s: %q, %v, calls %q; want %q, %q", name, got, err, c.api.calls, c.want, c.call)
		}
		if c.call != "" && c.api.bodies[0] != report {
			t.Errorf("%s: the body is %q", name, c.api.bodies)
		}
	}
}

func TestPostFails(t *testing.T) {
	api := &github{head: commitA, state: "open"}
	server := httptest.NewServer(api)
	defer server.Close()
	good := pull{api: server.URL, token: "secret", repo: "rowjet/rowjet", number: "12", commit: commitA, from: "somebody/rowjet"}
	for name, change := range map[string]func(p *pull, text, against *string){
		"a path as number":      func(p *pull, _, _ *string) { p.number = "12/../13" },
		"no number":             func(p *pull, _, _ *string) { p.number = "" },
		"another number":        func(p *pull, _, _ *string) { p.number = "13" },
		"a query as repository": func(p *pull, _, _ *string) { p.repo = "a/b?c" },
		"a query as a fork":     func(p *pull, _, _ *string) { p.from = "a/b?c" },
		"no commit":             func(p *pull, _, _ *string) { p.commit = "" },
		"a commit and changes":  func(p *pull, _, _ *string) { p.commit += "+" },
		"another token":         func(p *pull, _, _ *string) { p.token = "other" },
		"another fork":          func(p *pull, _, _ *string) { p.from = "other/rowjet" },
		"the tip of the branch": func(_ *pull, _, against *string) { *against = commitC },
		"against nothing":       func(_ *pull, _, against *string) { *against = "" },
		"another text":          func(_ *pull, text, _ *string) { *text = "hello" },
		"a text too long":       func(_ *pull, text, _ *string) { *text += strings.Repeat("x", maxComment) },
		"no server":             func(p *pull, _, _ *string) { p.api = "http://127.0.0.1:1" },
	} {
		p, text, against := good, Marker+"\n", commitB
		change(&p, &text, &against)
		if done, err := p.post(text, against); err == nil {
			t.Errorf("%s: got %q, want an error", name, done)
		}
	}
	if len(api.calls) > 0 {
		t.Errorf("it wrote all the same: %q", api.calls)
	}
}

// What GitHub would have to answer to make a base of it.
func TestBaseFails(t *testing.T) {
	for name, answer := range map[string]string{
		"no commit":      `{"state": "open", "head": {"sha": "` + commitA + `"}, "base": {"sha": "main"}}`,
		"no merge base":  `{"state": "open", "head": {"sha": "` + commitA + `"}, "base": {"sha": "` + commitC + `"}, "merge_base_commit": null}`,
		"a deleted fork": `{"state": "open", "head": {"sha": "` + commitA + `", "repo": null}, "base": {"sha": "` + commitC + `"}}`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(answer)) }))
		p := pull{api: server.URL, repo: "rowjet/rowjet", number: "12", commit: commitA, from: "somebody/rowjet"}
		if name != "a deleted fork" {
			p.from = ""
		}
		base, err := p.base()
		server.Close()
		if err == nil {
			t.Errorf("%s: got %q, want an error", name, base)
		}
	}
}

// The step that makes the comment, on two commits of this repository: HEAD, and
// the last one before the modules became what they are in HEAD. Their modules
// are measured as committed, so that nothing has to be built.
func TestTwoCommits(t *testing.T) {
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", ".."}, args...)...).Output()
		if err != nil {
			t.Fatalf("git %s: %v", args, err)
		}
		return string(out)
	}
	head := strings.TrimSpace(git("rev-parse", "HEAD"))
	changed := strings.Fields(git("log", "--format=%H", "HEAD", "--", "wasm/dist/postgres.wasm"))
	base := changed[min(1, len(changed)-1)]
	dir := t.TempDir()
	for side, commit := range map[string]string{"base": base, "head": head} {
		modules := filepath.Join(dir, side)
		if err := os.Mkdir(modules, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"postgres", "mysql", "sqlite"} {
			content := git("show", commit+":wasm/dist/"+name+".wasm")
			if err := os.WriteFile(filepath.Join(modules, name+".wasm"), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := run([]string{"measure", "-modules", modules, "-commit", commit, "-compiler", "TinyGo=0.41.1",
			"-out", filepath.Join(dir, side+".json")}, nil, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "comment.md")
	if out, err := exec.Command("../scripts/comment.sh", dir, head, base, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{Marker + "\n**Size:** ", "\n\n**Speed:** was not measured: the job left no times\n", "| Engine | This PR | Base branch | Diff |\n", "\n| Postgres | ", "\n| Mysql (gzip) | ",
		"\n| Sqlite (brotli) | ", "`" + head[:9] + "` against `" + base[:9] + "`"} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	// A report about another commit than the run was for, or against another one
	// than the pull request's, is refused, and there is no comment.
	for _, args := range [][]string{{dir, commitA, base, file}, {dir, head, commitA, file}, {dir, head, "", file}, {dir, head, base},
		{dir + "/none", head, base, file}, {dir, base, head, file}} {
		if out, err := exec.Command("../scripts/comment.sh", args...).CombinedOutput(); err == nil {
			t.Errorf("%q is accepted: %s", args, out)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%q leaves a comment", args)
		}
	}
}
