// Package core does what the core may not do.
package core

import (
	"math"
	"strconv"
	"time"
)

var seen = map[string]int{}

func Bad(f float64) string {
	c := make(chan string)
	go func() { c <- strconv.FormatFloat(math.Exp(f), 'g', -1, 64) }()
	seen[time.Now().String()] += int(math.Float64bits(f))
	return <-c + string([]byte{'!'})
}
