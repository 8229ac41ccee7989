package servertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/wasm/internal/mysqlwire/mysqlclient"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

var record = flag.Bool("record", false, "write conformance/wire/mysql.jsonl anew")

// recordings are the streams that other hosts of the modules are tested with.
func recordings(t *testing.T) (names []string, streams map[string][]byte, shape map[string]string) {
	plain := session(t, 0, 0)
	modern := session(t, mysqlclient.DeprecateEOF|mysqlclient.SessionTrack, mysqlclient.ExtendedMetadata)
	plain.Exec("create or replace table m (id int not null auto_increment primary key, title varchar(100) not null, year int, plot text)")
	streams, shape = map[string][]byte{}, map[string]string{}
	add := func(name string, stream []byte, shapeName string) {
		if streams[name] != nil {
			t.Fatalf("two recordings are called %s", name)
		}
		names = append(names, name)
		streams[name] = stream
		shape[name] = shapeName
	}
	both := func(name, sql string) {
		add(name+" in text format", plain.Query(sql), "")
		add(name+" in binary format", modern.Execute(sql, 0), "")
	}

	for _, v := range values {
		literals := slices.DeleteFunc(slices.Clone(v.literals), func(l string) bool {
			return strings.Contains(l, "6553") // long texts
		})
		if len(literals) == 0 {
			continue
		}
		table(plain, v, literals)
		both(v.name, "select v, n from t order by n")
	}

	// Public reports of what drivers got wrong.
	both("report: 64-bit integers, and at the edge of safe ones", `select 9007199254740991 a, 9007199254740992 b, 9007199254740993 c, -9007199254740993 d, 99999999999999999999 e,
		9223372036854775807 f, -9223372036854775808 g, 18446744073709551615 h union all select 1, 2, 3, 4, 5, 6, 7, 8`)
	both("report: lengths count bytes", `select 'Ô meu amigo, nós' a, 1 b, '日本語' c, 2 d, '😀' e, 3 f, 'x' g, 4 h, repeat('é', 126) i, 5 j union all select '', 6, 'x', 7, 'é', 8, '`+"\u2028"+`', 9, 'y', 10`)
	plain.Exec("create or replace table b (a char(36) collate utf8mb4_bin, b text collate utf8mb4_bin, c varbinary(9), d blob, e varchar(9) character set binary, f enum('x') collate utf8mb4_bin)",
		"insert into b values ('x', 'x', 'x', 'x', 'x', 'x'), ('é', 'é', x'ff', x'ff', x'ff', null)")
	both("report: binary collations are text", "select * from b")
	both("report: names of tables are text", "select table_name as t, column_type as c, is_nullable as n from information_schema.columns where table_schema = 'rowjet' and table_name = 'b' order by ordinal_position")
	add("report: show tables", plain.Query("show tables like 'b'"), "")
	plain.Exec("create or replace table b (b1 bit(1), b8 bit(8), b64 bit(64))", "insert into b values (b'1', b'10101010', ~0), (b'0', 0, 0), (null, null, null)")
	both("report: bits", "select * from b")
	plain.Exec("create or replace table b (a tinyint(1))", "insert into b values (-1), (0), (1), (2), (127), (null)")
	both("report: tinyint(1) is no boolean", "select * from b")
	for _, zone := range []string{"+05:30", "-08:00"} {
		for _, c := range []*mysqlclient.Client{plain, modern} {
			c.Exec("set time_zone = '" + zone + "'")
		}
		both("report: dates do not move, in the zone "+zone, "select cast('2026-08-24' as date) d, cast('2026-08-24 12:34:56.123456' as datetime(6)) t, from_unixtime(0) u")
	}
	for _, c := range []*mysqlclient.Client{plain, modern} {
		c.Exec("set time_zone = '+00:00'")
	}
	plain.Exec("create or replace table b (j json)", `insert into b values ('{"a": 1}'), ('null'), (null), ('"123"'), ('"{\\"a\\":1}"')`)
	for name, c := range map[string]*mysqlclient.Client{"with": modern, "without": plain} {
		add("report: json "+name+" extended metadata, in text format", c.Query("select json_object('a', 1) a, j from b"), "")
		add("report: json "+name+" extended metadata, in binary format", c.Execute("select json_object('a', 1) a, j from b", 0), "")
	}
	slices.Sort(names[len(names)-4:])
	plain.Exec("create or replace table b (y year)", "insert into b values (0), (1901), (2155)")
	both("report: year 0", "select y from b")
	both("report: geometry", "select st_geomfromtext('POINT(1 2)', 4326) p, st_geomfromtext('GEOMETRYCOLLECTION EMPTY') g, cast(null as char) n")
	plain.Exec("create or replace procedure pr() begin select 1 as first_name, 2 as last_name; select 3 as x; end")
	both("report: a call gives several result sets", "call pr()")
	plain.Exec("create or replace table b (id bigint not null, n varchar(9) not null, a int not null, b int not null, c int not null, d int not null, e datetime not null)")
	both("report: null in columns that are not null", "select b.*, group_concat(b.n) g from (select 1 x) a left join b on false group by x")

	plain.Exec("insert into m (title, year, plot) select concat('Movie ', seq), 1900 + seq % 125, concat(repeat('Über ', seq % 5), '日本') from seq_1_to_50")
	const movies = "select * from m order by id"
	const wide = `select seq as id, cast(seq * 1234.567891 as decimal(20,6)) as n, seq / 7e0 as f, timestamp('2024-02-29 12:34:56.789012') + interval seq day as ts, timestamp('2024-02-29 12:34:56') + interval seq hour as tz,
		date('2024-02-29') + interval seq day as d, sec_to_time(seq * 7211.5 - 3600) as t, seq % 2 as b, cast(seq as unsigned) as u, json_object('x', seq, 'y', json_array(seq, null)) as j,
		unhex(md5(seq)) as by1, concat('text ', seq) as t1, if(seq % 3 = 0, null, 'é') as t2, cast(seq as char charset binary) as by2 from seq_1_to_20`
	both("movies", movies)
	both("a wide table", wide)
	for _, s := range []string{"objects", "ndjson"} {
		add("movies as "+s, plain.Query(movies), s)
		add("a wide table as "+s, modern.Execute(wide, 0), s)
		add("same names as "+s, plain.Query("select 1 as a, 2 as b, 3 as a; select 4 as b"), s)
	}
	add("movies without EOF after the definitions", modern.Query(movies), "")

	add("several statements", plain.Query("select 1 as a; do 1; select 'x' as b, null as c from dual where false; do 1; do 2"), "")
	add("several statements without EOF", modern.Query("select 1 as a; do 1; select 'x' as b, null as c from dual where false; do 1; do 2"), "")
	add("no result", plain.Query("update m set year = year + 1 where id < 10"), "")
	add("no result, with the state of the session", modern.Query("set @@session.sort_buffer_size = 1048576"), "")
	add("a cursor", plain.Execute("select id, title from m order by id limit 10", 3), "")
	add("a cursor without EOF", modern.Execute("select id, title from m order by id limit 10", 3), "")
	add("error", plain.Query("select nothing"), "")
	const failing = "select id, (select a.id from m a where a.id = m.id or m.id = 3 and a.id = 4) as x from m order by id"
	add("error after rows in text format", plain.Query(failing), "")
	add("error after rows in binary format", modern.Execute(failing, 0), "")
	add("error after a result set", plain.Query("select 1 as a; select 2 as b; select nothing"), "")
	latin1 := session(t, 0, 0)
	latin1.Exec("set names latin1")
	add("text in another character set", latin1.Query("select 1 as a, 'é' as b"), "")
	cached := session(t, mysqlclient.DeprecateEOF, mysqlclient.CacheMetadata)
	add("a byte behind the column count", cached.Query("select id from m where id < 3"), "")
	add("definitions that are left out", cached.Execute("select id from m where id < 3", 0), "")
	files := session(t, mysqlclient.LocalFiles, 0)
	add("a request for a file", files.Query("load data local infile '/rowjet' into table m"), "")

	stream := plain.Query("select 'text' as t, seq as x from seq_1_to_3")
	last := bytes.LastIndex(stream, []byte("\x04text\x013")) - 4
	cut := func(at int) []byte { return bytes.Clone(stream[:at]) }
	put := func(at int, b ...byte) []byte { return append(append(cut(at), b...), stream[at+len(b):]...) }
	add("cut off between rows", cut(last), "")
	add("cut off in a row", cut(last+6), "")
	add("cut off in the preface", cut(5), "")
	add("a row without definitions", append(bytes.Clone(stream[:12]), stream[last:]...), "")
	add("a cell that is too long", put(last+4, 40), "")
	add("a row that is too long", put(last+4, 3), "")
	add("a row that is too short", put(last, 5), "")
	add("more after the end", append(bytes.Clone(stream), stream[last:]...), "")
	add("a row of no bytes", put(last, 0), "")
	return names, streams, shape
}

// madeByHand are streams that MariaDB does not send. The bytes of MySQL's are put
// together by its manual: "Protocol::ColumnDefinition41", "Binary Protocol Resultset
// Row", "The JSON Data Type", "The VECTOR Type".
func madeByHand() []wiretest.Case {
	packets := func(preface string, payloads ...string) []byte {
		all := []byte(preface)
		for i, p := range payloads {
			all = append(append(all, byte(len(p)), byte(len(p)>>8), 0, byte(i+1)), p...)
		}
		return all
	}
	define := func(name string, kind, collation, flags string) string {
		return "\x03def\x04test\x01t\x01t" + string(rune(len(name))) + name + string(rune(len(name))) + name + "\x0c" + collation + "\xff\xff\xff\xff" + kind + flags + "\x00\x00\x00"
	}
	const (
		textFormat   = "\x8f\xa2\xbf\x19\x00\x00\x00\x00\x00\x00\x00\x00"
		binaryFormat = "\x8f\xa2\xbf\x19\x00\x00\x00\x00\x01\x00\x00\x00"
		json         = `{"v": "açaí - привет"}`
		end          = "\xfe\x00\x00\x02\x00\x00\x00"
		binary       = "\x3f\x00"
		utf8mb4      = "\xff\x00"
		isJSON       = "\xf5"
	)
	jsonText := string(rune(len(json))) + json
	return []wiretest.Case{
		{Name: "by hand: json as MySQL 8 sends it, in text format", Stream: packets(textFormat, "\x01", define("j", isJSON, binary, "\x90\x00"), jsonText, "\xfb", "\x04null", end)},
		{Name: "by hand: json as MySQL 8 sends it, in binary format", Stream: packets(binaryFormat, "\x01", define("j", isJSON, binary, "\x90\x00"), "\x00\x00"+jsonText, "\x00\x04", "\x00\x00\x04null", end)},
		{Name: "by hand: vector as MySQL 9 sends it", Stream: packets(textFormat, "\x01", define("v", "\xf2", binary, "\x90\x00"), "\x08\x00\x00\x80\x3f\x00\x00\x00\x40", end)},
		{Name: "by hand: column names and text of MySQL 8", Stream: packets(textFormat, "\x02", define("é", "\xfd", utf8mb4, "\x00\x00"), define("", "\xfe", utf8mb4, "\x00\x01"), "\x05日\"z\x01x", end)},
		{Name: "by hand: a byte before the column count", Stream: packets("\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00", "\x01\x01", define("a", "\x03", binary, "\x00\x00"), "\x017", end)},
		{Name: "by hand: definitions left out after a byte", Stream: packets("\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00", "\x00\x01", "\x017", end)},
		{Name: "by hand: progress between rows", Stream: packets(textFormat, "\xff\xff\xff\x01\x01\x02\x01\x00\x00\x04copy", "\x01", define("a", "\x03", binary, "\x00\x00"), "\x017", "\xff\xff\xff\x01\x02\x02\x01\x00\x00\x04copy", end)},
		{Name: "by hand: seven nulls", Stream: packets(binaryFormat, "\x07", define("a", "\x08", binary, "\x01\x00"), define("b", "\x03", binary, "\x01\x00"), define("c", "\xfd", utf8mb4, "\x01\x10"), define("d", "\x0c", binary, "\x01\x00"),
			define("e", "\x05", binary, "\x01\x00"), define("f", "\x0b", binary, "\x01\x00"), define("g", "\xfc", utf8mb4, "\x11\x00"), "\x00\xfc\x01", end)},
		{Name: "by hand: what a host makes up", Stream: packets("\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00", "\x01", "\x00\x00\x00\x00\x01c\x00\x0c\x3f\x00\x00\x00\x00\x00\x08\x20\x00\x00\x00\x00", "\x1418446744073709551615", "\xfe\x00\x00\x00\x00")},
	}
}

// TestRecorded asks the server once more for what was recorded, and compares the
// documents.
func TestRecorded(t *testing.T) {
	path := filepath.Join(root, "conformance/wire/mysql.jsonl")
	names, streams, shape := recordings(t)
	var cases []wiretest.Case
	for _, name := range names {
		documents, failed := mysqlclient.Serialize(streams[name], 0, wiretest.Shapes[shape[name]], 0)
		cases = append(cases, wiretest.NewCase(name, streams[name], shape[name], documents, failed))
	}
	for _, c := range madeByHand() {
		documents, failed := mysqlclient.Serialize(c.Stream, 0, wiretest.Shapes[c.Shape], 0)
		cases = append(cases, wiretest.NewCase(c.Name, c.Stream, c.Shape, documents, failed))
	}
	if *record {
		if err := wiretest.WriteCases(path, cases); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, err := wiretest.ReadCases(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != len(before) {
		t.Fatalf("%d cases in the file, %d recordings", len(before), len(cases))
	}
	for i, now := range cases {
		was := before[i]
		now.Stream, was.Stream = nil, nil
		got, _ := json.Marshal(now)
		want, _ := json.Marshal(was)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %s", now.Name, difference(string(want), string(got)))
		}
	}
}
