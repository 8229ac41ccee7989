// What the tests of the drivers for MySQL and MariaDB share: the server, packets, and a server that lies.

import assert from 'node:assert/strict'
import net from 'node:net'

const url = process.env['ROWJET_MARIADB_URL']
assert.ok(url !== undefined, 'run the tests by npm test: it starts the servers')
/** As each driver likes it. */
export const mariadbURL: string = url
export const mysqlURL: string = url.replace(/^mariadb:/, 'mysql:')

// Packets (MySQL Source Code Documentation, "Client/Server Protocol").

export const u16 = (n: number): Buffer => Buffer.of(n & 255, n >> 8)
export const u32 = (n: number): Buffer => Buffer.of(n & 255, (n >> 8) & 255, (n >> 16) & 255, n >>> 24)

export function packet(sequence: number, ...body: (Buffer | string | number)[]): Buffer {
  const payload = Buffer.concat(body.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part as string))))
  return Buffer.concat([u32(payload.length).subarray(0, 3), Buffer.of(sequence & 255), payload])
}

export function lenenc(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text as string)
  return Buffer.concat([bytes.length < 251 ? Buffer.of(bytes.length) : Buffer.concat([Buffer.of(0xfc), u16(bytes.length)]), bytes])
}

export interface Column {
  name: string
  type?: number
  charset?: number
  flags?: number
}

/** The payload of a column definition; by default of a VARCHAR. */
export function definition({ name, type = 253, charset = 45, flags = 0 }: Column): Buffer {
  return Buffer.concat([lenenc('def'), Buffer.of(0, 0, 0), lenenc(name), Buffer.of(0, 12), u16(charset), u32(1020), Buffer.of(type), u16(flags), Buffer.of(0, 0, 0)])
}

export const textRow = (cells: readonly (string | null)[]): Buffer => Buffer.concat(cells.map((cell) => (cell === null ? Buffer.of(0xfb) : lenenc(cell))))
export const eof = (status = 2): Buffer => Buffer.concat([Buffer.of(0xfe, 0, 0), u16(status)])
export const ok = (affected = 0, status = 2): Buffer => Buffer.concat([Buffer.of(0, affected, 0), u16(status), u16(0)])
export const okEOF = (status = 2): Buffer => Buffer.concat([Buffer.of(0xfe, 0, 0), u16(status), u16(0)])
export const err = (number: number, state: string, text: string): Buffer => Buffer.concat([Buffer.of(0xff), u16(number), Buffer.from(`#${state}${text}`)])

/** Payloads as packets, numbered from `sequence` on. */
export function packets(payloads: readonly Buffer[], sequence = 1): Buffer {
  return Buffer.concat(payloads.map((payload, i) => packet(sequence + i, payload)))
}

/** The payloads of an answer to a query: rows of texts. */
export const answer = (columns: readonly Column[], rows: readonly (readonly (string | null)[])[], status = 2): Buffer[] =>
  [Buffer.of(columns.length), ...columns.map(definition), eof(status), ...rows.map(textRow), eof(status)]

/**
 * A server that lets everyone in and answers each COM_QUERY with what `reply` gives; then, if `end`, hangs up. It counts
 * the connections that it had. It has no CLIENT_DEPRECATE_EOF and no prepared statements.
 */
export class FakeServer {
  connections = 0
  queries: string[] = []
  reply: (query: string) => { bytes: Buffer; end?: boolean } = () => ({ bytes: packets(answer([{ name: 'a', type: 3, charset: 63 }], [['1']])) })
  readonly #server = net.createServer((socket) => this.#serve(socket))
  readonly #sockets = new Set<net.Socket>()

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return (this.#server.address() as net.AddressInfo).port
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    let started = false
    let pending = Buffer.alloc(0)
    // LONG_PASSWORD, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, MULTI_STATEMENTS, MULTI_RESULTS, PLUGIN_AUTH
    const capabilities = 0x1 | 0x200 | 0x2000 | 0x8000 | 0x10000 | 0x20000 | 0x80000
    socket.write(packet(0, 10, '8.0.36', 0, u32(7), '12345678', 0, u16(capabilities & 0xffff), 45, u16(2), u16(capabilities >>> 16), 21, Buffer.alloc(10), '123456789012', 0, 'mysql_native_password', 0))
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 4 && pending.length >= 4 + pending.readUIntLE(0, 3)) {
        const whole = pending.subarray(4, 4 + pending.readUIntLE(0, 3))
        pending = pending.subarray(4 + whole.length)
        if (!started) {
          started = true
          this.connections++
          socket.write(packet(2, ok()))
          continue
        }
        if (whole[0] === 1) {
          socket.end()
        } else if (whole[0] === 3) {
          const query = whole.toString('utf8', 1)
          this.queries.push(query)
          if (query.startsWith('SET ') || query.startsWith('KILL ')) {
            socket.write(packet(1, ok()))
            continue
          }
          const { bytes, end } = this.reply(query)
          socket.write(bytes)
          if (end === true) socket.end()
        } else {
          socket.write(packet(1, whole[0] === 0x16 ? err(1295, 'HY000', 'not here') : ok()))
        }
      }
    })
  }
}

// The drivers.

import { readFileSync } from 'node:fs'
import mariadbNew from 'mariadb'
import mariadbOld from 'mariadb-3.3'
import mysqlNew from 'mysql2/promise'
import mysqlOld from 'mysql2-3.9/promise.js'
import * as rowjetMariadb from 'rowjet/mariadb'
import * as rowjetMysql2 from 'rowjet/mysql2'
import type { MySQLDatabase, MySQLOptions } from 'rowjet/mysql2'

/** A connection or pool of a driver, with what tests do to it by the driver's own means. */
export interface Handle {
  readonly raw: any
  /** The driver's own query, as text. */
  query(sql: string, options?: object): Promise<any>
  /** And as a prepared statement. */
  execute(sql: string, params: unknown[]): Promise<any>
  end(): Promise<unknown>
}

export interface DriverKind {
  readonly name: string
  readonly adapterName: string
  readonly isMysql2: boolean
  /** The version does not know MariaDB's extended metadata: JSON is text there. */
  readonly knowsJSON: boolean
  pool(config?: object): Handle
  connection(config?: object): Promise<Handle>
  connect(handle: any, options?: MySQLOptions): Promise<MySQLDatabase>
}

const parsed = new URL(mariadbURL)
/** What both drivers take. */
export const config = {
  host: parsed.hostname, port: Number(parsed.port), user: decodeURIComponent(parsed.username), password: decodeURIComponent(parsed.password), database: parsed.pathname.slice(1),
}

/** TLS, if the server's certificate is known. */
export const ca = process.env['ROWJET_MARIADB_CA'] === undefined ? undefined : readFileSync(process.env['ROWJET_MARIADB_CA'])

function mysql2Kind(name: string, driver: typeof mysqlNew, knowsJSON: boolean): DriverKind {
  const handle = (raw: any): Handle => ({
    raw,
    query: async (sql, options = {}) => (await raw.query({ ...options, sql }))[0],
    execute: async (sql, params) => (await raw.execute(sql, params))[0],
    end: () => raw.end(),
  })
  return {
    name,
    adapterName: 'mysql2',
    isMysql2: true,
    knowsJSON,
    pool: ({ max, ...rest }: { max?: number } = {}) => handle(driver.createPool({ ...config, connectionLimit: max ?? 5, ...rest })),
    connection: async (rest = {}) => handle(await driver.createConnection({ ...config, ...rest })),
    connect: rowjetMysql2.connect,
  }
}

function mariadbKind(name: string, driver: typeof mariadbNew): DriverKind {
  const handle = (raw: any): Handle => ({
    raw,
    query: (sql, options = {}) => raw.query({ ...options, sql }),
    execute: (sql, params) => raw.execute(sql, params),
    end: () => raw.end(),
  })
  return {
    name,
    adapterName: 'mariadb',
    isMysql2: false,
    knowsJSON: true,
    pool: ({ max, ...rest }: { max?: number } = {}) => handle(driver.createPool({ ...config, connectionLimit: max ?? 5, minimumIdle: 1, ...rest })),
    connection: async (rest = {}) => handle(await driver.createConnection({ ...config, ...rest })),
    connect: rowjetMariadb.connect,
  }
}

export const kinds: readonly DriverKind[] = [
  mysql2Kind('mysql2 3.9', mysqlOld as unknown as typeof mysqlNew, false),
  mysql2Kind('mysql2 3.24', mysqlNew, true),
  mariadbKind('mariadb 3.3', mariadbOld as unknown as typeof mariadbNew),
  mariadbKind('mariadb 3.5', mariadbNew),
]
