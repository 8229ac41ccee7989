package servertest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/wasm/internal/mysqlwire/mysqlclient"
)

const (
	root     = "../../../.."
	variable = "ROWJET_MARIADB_URL"
)

// TestMain runs the tests once more with a server around them, if there is none.
func TestMain(m *testing.M) {
	if os.Getenv(variable) != "" {
		os.Exit(m.Run())
	}
	again := exec.Command(filepath.Join(root, "scripts/servers.sh"), os.Args...)
	// Only one of the servers that the script knows is wanted.
	again.Env = append(os.Environ(), "ROWJET_POSTGRES_URL=none")
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	if err := again.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "scripts/servers.sh:", err)
		os.Exit(1)
	}
}

// connect connects with capabilities beside those that it needs itself, as far as the
// server has them.
func connect(t testing.TB, capabilities, extended uint32) *mysqlclient.Client {
	t.Helper()
	u, err := url.Parse(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return mysqlclient.Dial(t, u.Host, u.User.Username(), password, strings.TrimPrefix(u.Path, "/"), capabilities, extended)
}
