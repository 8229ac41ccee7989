// The snippets of the pages about drivers for MySQL and MariaDB run, and give what their comments say.
import { mariadbURL, mysqlURL } from './mysql.js'
import { testPage } from './snippets.js'

await testPage('mysql2', 6, mysqlURL)
await testPage('mariadb', 2, mariadbURL)
