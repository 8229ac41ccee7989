-- The two tables of the benchmarks of MySQL and MariaDB, 50,000 rows each. MariaDB's sequences make them.
CREATE TABLE Movie (id int PRIMARY KEY, title varchar(191) NOT NULL, year int NOT NULL, description text NOT NULL);
INSERT INTO Movie
SELECT seq, CONCAT('The ', ELT(1 + seq % 6, 'Quiet', 'Last', 'Golden', 'Hidden', 'Broken', 'Silent'), ' ', ELT(1 + seq % 5, 'River', 'Harbour', 'Signal', 'Garden', 'Winter'), ' ', seq),
  1920 + seq % 105, LEFT(REPEAT(CONCAT('A story about people who meet by chance, ', MD5(seq), ', and what comes of it. '), 4), 150 + seq % 150)
FROM seq_1_to_50000;

CREATE TABLE Wide (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, u char(36), ts timestamp(3) NULL, dt datetime, d date, t time(3), n decimal(20,6), f double, b tinyint(1), s smallint, y year,
  e enum('red', 'green', 'blue'), st set('a', 'b', 'c'), j json, raw varbinary(32), a varchar(100), z text);
INSERT INTO Wide
SELECT seq, CONCAT(LEFT(MD5(seq), 8), '-', MID(MD5(seq), 9, 4), '-4', MID(MD5(seq), 14, 3), '-8', MID(MD5(seq), 18, 3), '-', RIGHT(MD5(seq), 12)),
  '2020-01-01' + INTERVAL seq * 17 MINUTE + INTERVAL 123000 MICROSECOND, '2020-01-01' + INTERVAL seq HOUR, '2020-01-01' + INTERVAL seq % 2000 DAY,
  SEC_TO_TIME(seq * 1.5), seq * 1234.567891, seq / 7e0, seq % 3 = 0, seq % 30000, 1901 + seq % 200, ELT(1 + seq % 3, 'red', 'green', 'blue'), ELT(1 + seq % 4, '', 'a', 'a,c', 'a,b,c'),
  JSON_OBJECT('id', seq, 'tags', JSON_ARRAY('x', seq % 10), 'note', NULL), UNHEX(MD5(seq)), CONCAT('text number ', seq), IF(seq % 10 = 0, NULL, REPEAT('z', seq % 40))
FROM seq_1_to_50000;
ANALYZE TABLE Movie, Wide;
