// The snippets of the README, and of the pages about PostgreSQL drivers and Prisma's adapters, run, and give what their comments say.
import { postgresURL } from './postgres.js'
import { testPage } from './snippets.js'

await testPage('README', 2, postgresURL, 'README.md')
await testPage('pg', 6, postgresURL)
await testPage('postgres-js', 2, postgresURL)
await testPage('pglite', 2, postgresURL)
await testPage('prisma-adapters', 2, postgresURL)
