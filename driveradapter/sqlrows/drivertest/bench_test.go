package drivertest

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/pgmessages"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
)

// BenchmarkPostgres takes the same 50,000 rows from a real server: read and thrown
// away, which is the least it can take; by messages; by database/sql; and by pgx and
// encoding/json.
func BenchmarkPostgres(b *testing.B) {
	conn, err := pgx.Connect(ctx, postgresURL)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(ctx)
	const query = `SELECT n AS id, 'The film ' || n AS title, repeat('some prose ', 20) AS description, 1900 + n % 130 AS year FROM generate_series(1, 50000) AS n`
	if _, err := conn.Exec(ctx, `CREATE TEMPORARY TABLE movie AS `+query); err != nil {
		b.Fatal(err)
	}
	db := open(b, "pgx", postgresURL)
	exec1(b, db, `CREATE TEMPORARY TABLE movie AS `+query)
	const all = `SELECT * FROM movie ORDER BY id`
	engine := engines[driveradapter.Postgres]
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("read", func() error {
		rows, err := conn.Query(ctx, all)
		if err != nil {
			return err
		}
		for rows.Next() {
			rows.RawValues()
		}
		return rows.Err()
	})
	run("messages", func() error {
		rows, err := conn.Query(ctx, all)
		if err != nil {
			return err
		}
		return engine.StreamMessages(ctx, io.Discard, pgmessages.FromRows(rows))
	})
	run("sqlrows", func() error {
		rows, err := db.QueryContext(ctx, all)
		if err != nil {
			return err
		}
		defer rows.Close()
		result, err := sqlrows.New(driveradapter.Postgres, rows)
		if err != nil {
			return err
		}
		return engine.Stream(ctx, io.Discard, result)
	})
	run("structs and encoding/json", func() error {
		rows, err := conn.Query(ctx, all)
		if err != nil {
			return err
		}
		movies, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct {
			ID          int    `json:"id"`
			Title       string `json:"title"`
			Description string `json:"description"`
			Year        int    `json:"year"`
		}])
		if err != nil {
			return err
		}
		return json.NewEncoder(io.Discard).Encode(movies)
	})
}
