// The worker, from the page's side.

import type { Answer, Failure, Request } from './protocol.js'

type WithId = Extract<Answer, { id: number }>
type Without = Exclude<Answer, { id: number }>
type Asked = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never

export interface Listener {
  /** News of the worker itself. */
  told(answer: Without): void
  /** What comes after a run's results. */
  followed(answer: WithId): void
}

/** What the worker could not do. */
export class WorkerFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

export class Client {
  readonly #listener: Listener
  #worker: Worker
  #next = 1
  readonly #waiting = new Map<number, { resolve(answer: WithId): void; reject(error: unknown): void }>()

  constructor(listener: Listener) {
    this.#listener = listener
    this.#worker = this.#start()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      if (!('id' in data)) {
        this.#listener.told(data)
        return
      }
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if (waiting === undefined) this.#listener.followed(data)
      else if (data.do === 'failed') waiting.reject(new WorkerFailure(data.failure))
      else waiting.resolve(data)
    })
    worker.addEventListener('error', (event) => {
      this.#listener.told({ do: 'broken', failure: { kind: 'other', name: 'Error', message: event.message || 'the worker could not be loaded', fields: [] } })
    })
    return worker
  }

  /** Ends the worker and what it does, with its database, and starts another. */
  restart(): void {
    this.#worker.terminate()
    const stopped: Failure = { kind: 'other', name: 'Stopped', message: 'The query was stopped, and the database with it: a new one is there.', fields: [] }
    for (const { reject } of this.#waiting.values()) reject(new WorkerFailure(stopped))
    this.#waiting.clear()
    this.#worker = this.#start()
  }

  /** Asks for something. The answer is the one that belongs to it, by its `do`. */
  ask<Do extends WithId['do']>(request: Asked, _answer: Do): { id: number; answer: Promise<Extract<WithId, { do: Do }>> } {
    const id = this.#next++
    const answer = new Promise<WithId>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    this.#worker.postMessage({ ...request, id })
    return { id, answer: answer as Promise<Extract<WithId, { do: Do }>> }
  }
}
