// Command size-report tells what a change does to the sizes of the modules, and
// to their speed, as the comment on its pull request.
//
//	size-report measure -modules wasm/dist -commit <hash> -out head.json
//	size-report start -base base.json -base-modules <folder> -head head.json -head-modules <folder>    adds times to both
//	size-report compare -base base.json -head head.json -out comparison.json
//	size-report compare -race race.json -out speed.json
//	size-report render -in comparison.json -speed speed.json -out comment.md    either may be left out
//	size-report base -repo owner/name -number 12 -commit <hash> -from <fork>    prints the commit that a report on it must be against
//	size-report post -repo owner/name -number 12 -commit <hash> -from <fork> -against <hash> -in comment.md
//
// All that they hand on is JSON. make size and make perf run everything for two
// commits; CONTRIBUTING.md tells how to read the result.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "size-report:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: size-report measure | start | compare | render | base | post, each with -help")

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "the file to write; default: print it")
	switch args[0] {
	case "measure":
		in := Inputs{Compilers: map[string]string{}}
		flags.StringVar(&in.Modules, "modules", "", "folder of <name>.wasm, with <name>.named.wasm for the functions' names")
		flags.StringVar(&in.Committed, "committed", "", "folder of the modules that the commit holds, to compare hashes")
		flags.StringVar(&in.Standard, "standard", "", "folder of <name>-wasip1.wasm, the standard compiler's builds")
		flags.StringVar(&in.Package, "package", "", "output of npm pack --json")
		flags.StringVar(&in.Commit, "commit", "", "hash of the commit, with + if there are changes on top")
		flags.Func("compiler", "`name=version`, any number of times", func(s string) error {
			name, version, ok := strings.Cut(s, "=")
			if !ok {
				return errors.New("wants name=version")
			}
			in.Compilers[name] = version
			return nil
		})
		if err := parse(flags, args); err != nil {
			return err
		}
		m, err := measure(in)
		if err != nil {
			return err
		}
		return give(m, *out, stdout)
	case "start":
		var files, folders [2]string
		for i, side := range sideNames {
			flags.StringVar(&files[i], side, "", "measurement of the "+side)
			flags.StringVar(&folders[i], side+"-modules", "", "its folder of <name>.wasm")
		}
		rounds := flags.Int("rounds", 11, "how often each module is started")
		if err := parse(flags, args); err != nil {
			return err
		}
		var sides [2]*Measurement
		for i := range sides {
			sides[i] = new(Measurement)
			if err := readJSON(files[i], sides[i]); err != nil {
				return err
			}
		}
		if err := start(sides, folders, *rounds); err != nil {
			return err
		}
		for i, m := range sides {
			if err := give(m, files[i], stdout); err != nil {
				return err
			}
		}
		return nil
	case "compare":
		baseFile := flags.String("base", "", "measurement of the base")
		headFile := flags.String("head", "", "measurement of the change")
		race := flags.String("race", "", "times of perf-report/race.mjs, instead of base and head")
		config := flags.String("budgets", "size-report/budgets.json", "the limits")
		commit := flags.String("commit", "", "the commit that the head must be; default: any")
		against := flags.String("against", "", "the commit that the base must be; default: any")
		gate := flags.Bool("gate", false, "fail, after writing, if the change breaks a limit")
		if err := parse(flags, args); err != nil {
			return err
		}
		budgets := new(Budgets)
		if err := readJSON(*config, budgets); err != nil {
			return err
		}
		result, err := compareFiles(*baseFile, *headFile, *race, budgets)
		if err != nil {
			return err
		}
		base, head := result.commits()
		if *commit != "" && head != *commit {
			return fmt.Errorf("the numbers are of %s, not of %s", head, *commit)
		}
		if *against != "" && base != *against {
			return fmt.Errorf("the numbers are against %s, not against %s", base, *against)
		}
		if err := give(result, *out, stdout); err != nil {
			return err
		}
		if problems := result.failures(); *gate && len(problems) > 0 {
			return errors.New(strings.Join(problems, "\nsize-report: "))
		}
		return nil
	case "render":
		in := flags.String("in", "", "comparison of sizes")
		speed := flags.String("speed", "", "comparison of times; one of the two may be left out")
		missing := flags.Bool("unraced", false, "say that there are no times")
		if err := parse(flags, args); err != nil {
			return err
		}
		var c *Comparison
		if *in != "" {
			c = new(Comparison)
			if err := readJSON(*in, c); err != nil {
				return err
			}
		}
		var perf *PerfComparison
		if *speed != "" {
			perf = new(PerfComparison)
			if err := readJSON(*speed, perf); err != nil {
				return err
			}
		}
		if c == nil && perf == nil {
			return errors.New("render wants -in, -speed or both")
		}
		if c != nil && perf != nil && (perf.Base != c.Base || perf.Head != c.Head) {
			return errors.New("sizes and times are of different commits")
		}
		if *missing && perf != nil {
			return errors.New("-unraced and -speed exclude each other")
		}
		var why []string
		if *missing {
			why = append(why, unraced)
		}
		text := render(c, perf, why...)
		if *out == "" {
			_, err := io.WriteString(stdout, text)
			return err
		}
		return os.WriteFile(*out, []byte(text), 0o644)
	case "base", "post":
		p := pull{api: os.Getenv("GITHUB_API_URL"), token: os.Getenv("GITHUB_TOKEN")}
		flags.StringVar(&p.repo, "repo", "", "owner/name")
		flags.StringVar(&p.number, "number", "", "of the pull request")
		flags.StringVar(&p.commit, "commit", "", "head of the pull request that the report is about")
		flags.StringVar(&p.from, "from", "", "owner/name of the repository that the head is in; default: any")
		against := flags.String("against", "", "the commit that the report is against; only for post")
		in := flags.String("in", "", "the comment; only for post")
		if err := parse(flags, args); err != nil {
			return err
		}
		if args[0] == "base" {
			base, err := p.base()
			if err == nil {
				fmt.Fprintln(stdout, base)
			}
			return err
		}
		text, err := os.ReadFile(*in)
		if err != nil {
			return err
		}
		done, err := p.post(string(text), *against)
		if err == nil {
			fmt.Fprintln(stdout, done)
		}
		return err
	}
	return errUsage
}

func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no %q", args[0], flags.Args())
	}
	return nil
}

// comparison is one of sizes, or one of times.
type comparison interface {
	failures() []string
	commits() (base, head string)
}

func (c *Comparison) commits() (base, head string)     { return c.Base, c.Head }
func (c *PerfComparison) commits() (base, head string) { return c.Base, c.Head }

func compareFiles(base, head, race string, budgets *Budgets) (comparison, error) {
	if race != "" {
		r := new(Race)
		if err := readJSON(race, r); err != nil {
			return nil, err
		}
		return compareRace(r, budgets.Exact)
	}
	var sides [2]Measurement
	for i, file := range []string{base, head} {
		if err := readJSON(file, &sides[i]); err != nil {
			return nil, err
		}
	}
	return compare(&sides[0], &sides[1], budgets)
}
