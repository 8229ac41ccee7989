package host_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"
)

// filmsHandler streams the result of a query, as rows come from the database. If the
// client goes away, its context ends the query and the stream.
func filmsHandler(db *sql.DB, engine *host.Engine) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rows, err := db.QueryContext(r.Context(), "SELECT id, title, price FROM film ORDER BY id")
		if err != nil {
			http.Error(w, "the database does not answer", http.StatusBadGateway)
			return
		}
		defer rows.Close()
		result, err := sqlrows.New(driveradapter.Postgres, rows)
		if err != nil {
			http.Error(w, "the query has no result", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := engine.Stream(r.Context(), w, result, host.ShapeObjects); err != nil {
			// The status may have gone out with the first bytes. Then only a
			// connection that breaks off can tell the client.
			panic(http.ErrAbortHandler)
		}
	}
}

func Example_httpHandler() {
	ctx := context.Background()
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}
	db := openFilms(false) // sql.Open("pgx", "postgres://…")
	defer db.Close()

	server := httptest.NewServer(filmsHandler(db, engine))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.Status, response.Header.Get("Content-Type"), err)
	fmt.Println(string(body))
	// Output:
	// 200 OK application/json <nil>
	// [{"id":1,"title":"Playtime","price":"9.90"},{"id":2,"title":"Ran","price":"9.90"}]
}
