package host_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
)

// TestHTTPFailure checks that a client of the example's handler can tell a
// result that broke off from a whole one.
func TestHTTPFailure(t *testing.T) {
	db := openFilms(true)
	defer db.Close()
	server := httptest.NewServer(filmsHandler(db, newEngine(t, driveradapter.Postgres)))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err == nil {
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err == nil {
		t.Error("the client took the result for whole")
	}
	if n := db.Stats().InUse; n != 0 {
		t.Errorf("%d connections are still in use", n)
	}
}
