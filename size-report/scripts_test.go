package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What make size and make perf say to a BASE that can't be, before they build
// anything.
func TestBaseOfScripts(t *testing.T) {
	roots, err := exec.Command("git", "rev-list", "--max-parents=0", "--abbrev-commit", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.Fields(string(roots))[0]
	tools := filepath.Join(t.TempDir(), "tools")
	for _, script := range []string{"size.sh", "perf.sh"} {
		for _, c := range []struct {
			args []string
			want string
		}{
			{nil, "which commit or branch is the base? make size BASE=main\n"},
			{[]string{""}, "which commit or branch is the base? make size BASE=main\n"},
			{[]string{"no-such-branch"}, "BASE=no-such-branch is no commit that is here; git fetch brings those of others.\n"},
			{[]string{"--help"}, "BASE=--help is no commit that is here; git fetch brings those of others.\n"},
			{[]string{"HEAD:go.mod"}, "BASE=HEAD:go.mod is no commit that is here; git fetch brings those of others.\n"},
			{[]string{root}, "The base " + root + " has no scripts/toolchain.sh yet: take a later commit as BASE.\n"},
		} {
			cmd := exec.Command("../scripts/"+script, c.args...)
			cmd.Env = append(os.Environ(), "TOOLS="+tools)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != 2 || stdout.Len() > 0 || stderr.String() != c.want {
				t.Errorf("%s %q: %v, code %d, %q; want %q", script, c.args, err, code, stderr.String(), c.want)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(tools, "report", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q were written, %v", left, err)
	}
}

// stepsOf returns what the named steps of a workflow run, in their order.
func stepsOf(t *testing.T, file string, names ...string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var scripts []string
	for _, name := range names {
		_, step, ok := strings.Cut(string(text), "\n      - name: "+name+"\n")
		if !ok {
			t.Fatalf("%s has no step %q", file, name)
		}
		step, _, _ = strings.Cut(step, "\n      - ")
		_, script, ok := strings.Cut("\n"+step, "\n        run: |\n")
		if !ok {
			t.Fatalf("the step %q runs nothing", name)
		}
		script = regexp.MustCompile(`(?m)^        \S[\s\S]*`).ReplaceAllString(script, "")
		scripts = append(scripts, strings.ReplaceAll(script, "\n          ", "\n"))
	}
	return scripts
}

// The steps of the workflow that may write comments, with what a fork's job may
// have left for them.
func TestCommentWorkflow(t *testing.T) {
	steps := stepsOf(t, "../.github/workflows/comment.yml", "Ask which pull request it is", "Make the comment", "Post it")
	base, head := baseMeasurement(), headMeasurement()
	base.Commit, head.Commit = commitB, commitA
	for _, m := range []*Measurement{base, head} {
		for _, name := range []string{"mysql", "sqlite"} { // the real limits want them
			if m.find(groupModule, name) == nil {
				m.Artefacts = append(m.Artefacts, module(groupModule, name, 1_000, 500, Code{"runtime", "alloc", 200}))
			}
		}
	}
	race := raceOf()
	race.Base, race.Head = commitB, commitA
	for name, c := range map[string]struct {
		number string
		change func(dir string)
		state  string
		want   string // what is posted, or the error
		fails  bool
	}{
		"as it should be":            {"12\n", nil, "open", "| Postgres (gzip) | 40,700 B", false},
		"a closed pull request":      {"12\n", nil, "closed", "nothing to do", false},
		"another pull request":       {"13\n", nil, "open", "404 Not Found", true},
		"variables as a number":      {"12\nBASH_ENV=/tmp/x\n", nil, "open", "is not the number of a pull request", true},
		"a command as a number":      {"$(touch x)", nil, "open", "is not the number of a pull request", true},
		"an option as a number":      {"-from=x", nil, "open", "is not the number of a pull request", true},
		"numbers of another base":    {"12", func(dir string) { base.Commit = commitC }, "open", "the numbers are against " + commitC, true},
		"numbers of another head":    {"12", func(dir string) { head.Commit = commitC }, "open", "the numbers are of " + commitC, true},
		"a race of another head":     {"12", func(dir string) { race.Head = commitC }, "open", "the numbers are of " + commitC, true},
		"a head that is not clean":   {"12", func(dir string) { head.Commit += "+" }, "open", "the numbers are of " + commitA + "+", true},
		"a link as a measurement":    {"12", func(dir string) { relink(dir, "/dev/zero") }, "open", "not a file", true},
		"a page as a measurement":    {"12", func(dir string) { os.WriteFile(filepath.Join(dir, "base.json"), []byte("<html>"), 0o644) }, "open", "invalid character '<'", true},
		"no race":                    {"12", func(dir string) { os.Remove(filepath.Join(dir, "race.json")) }, "open", "\n**Speed:** was not measured: the job left no times\n", false},
		"a comment of its own":       {"12", func(dir string) { os.WriteFile(filepath.Join(dir, "comment.md"), []byte(Marker+"\nhello"), 0o644) }, "open", "| Postgres (gzip) | 40,700 B", false},
		"a configuration of its own": {"12", func(dir string) { os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x"), 0o644) }, "open", "| Postgres (gzip) | 40,700 B", false},
	} {
		api := &github{head: commitA, state: c.state}
		server := httptest.NewServer(api)
		temp := t.TempDir()
		dir := filepath.Join(temp, "report")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		savedBase, savedHead, savedRace := base.Commit, head.Commit, race.Head
		early := c.change != nil && strings.HasPrefix(c.want, "the numbers")
		if early {
			c.change(dir)
		}
		for name, v := range map[string]any{"base.json": base, "head.json": head, "race.json": race} {
			if err := give(v, filepath.Join(dir, name), nil); err != nil {
				t.Fatal(err)
			}
		}
		base.Commit, head.Commit, race.Head = savedBase, savedHead, savedRace
		if err := os.WriteFile(filepath.Join(dir, "number"), []byte(c.number), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.change != nil && !early {
			c.change(dir)
		}
		variables := filepath.Join(temp, "env")
		env := append(os.Environ(), "RUNNER_TEMP="+temp, "REPORT="+dir, "HEAD_SHA="+commitA, "HEAD_REPO=somebody/rowjet", "GITHUB_ENV="+variables,
			"GITHUB_REPOSITORY=rowjet/rowjet", "GITHUB_TOKEN=secret", "GITHUB_API_URL="+server.URL, "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
		var all []byte
		var err error
		for i, step := range steps {
			set, _ := os.ReadFile(variables)
			if i > 0 && !strings.Contains(string(set), "BASE="+commitB) {
				break // if: env.BASE != ''
			}
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step)
			cmd.Dir, cmd.Env = "..", append(env, strings.Fields(string(set))...)
			var out []byte
			out, err = cmd.CombinedOutput()
			all = append(all, out...)
			if err != nil {
				break
			}
		}
		server.Close()
		got := strings.Join(api.bodies, "\n") + string(all)
		if (err != nil) != c.fails || !strings.Contains(got, c.want) || c.fails && len(api.calls) > 0 || strings.Contains(got, "hello") {
			t.Errorf("%s: %v, calls %q; want %q in\n%s", name, err, api.calls, c.want, got)
		}
	}
}

// relink makes a link of the head's measurement.
func relink(dir, target string) {
	file := filepath.Join(dir, "head.json")
	os.Remove(file)
	os.Symlink(target, file)
}
