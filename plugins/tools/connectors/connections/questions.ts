import { EventEmitter, once } from 'node:events'
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import type { Exchange, WorkTime } from './exchange.ts'

/** A call that is under way, whose time does not run while a person is asked. */
export interface AskingCall extends Pick<WorkTime, 'pause'> {
  /** The conversation that the call belongs to. */
  thread_id: string
  /** Asks the user on the server's behalf. */
  elicit(request: ElicitRequest['params']): Promise<ElicitResult>
}

/**
 * Creates the questions of a server during its calls. On a channel that calls share, the protocol does not say which
 * call a question belongs to. It waits until every call that is left waits for an answer, and is asked if all of them
 * belong to one conversation. With several conversations the latest question is cancelled: nobody of another one may
 * see it.
 */
export function createQuestions() {
  const calls = new Map<Exchange, AskingCall>()
  const waiting: symbol[] = []
  /** The calls through which a question is asked now. */
  const asking = new Set<AskingCall>()
  const changes = new EventEmitter().setMaxListeners(0)

  const pauseAll = <Value>(work: Promise<Value>): Promise<Value> =>
    [...calls.values()].reduce((paused, call) => call.pause(paused), work)
  const isOneThread = () => new Set([...calls.values()].map(({ thread_id }) => thread_id)).size === 1

  /** Waits until a question can be asked; returns a call that may ask it, or undefined if it has to be cancelled. */
  const findCall = async (question: symbol): Promise<AskingCall | undefined> => {
    while (calls.size > 0) {
      const isStandstill = waiting.length >= calls.size
      if (isStandstill && !isOneThread() && waiting.at(-1) === question) return undefined
      const free = [...calls.values()].find((call) => !asking.has(call))
      if (isStandstill && isOneThread() && free) {
        // At once, as the other questions go on in the same moment.
        asking.add(free)
        return free
      }
      const change = once(changes, 'change')
      await (isStandstill ? pauseAll(change) : change)
    }
    return undefined
  }

  /** Asks through a call, and pauses the time of all: any of them may be the one that waits. */
  const askThrough = async (call: AskingCall, params: ElicitRequest['params']): Promise<ElicitResult> => {
    try {
      return await pauseAll(call.elicit(params))
    } finally {
      asking.delete(call)
    }
  }

  return {
    /** Runs a call, during which its server may ask. */
    async during<Value>(exchange: Exchange, call: AskingCall, work: () => Promise<Value>): Promise<Value> {
      calls.set(exchange, call)
      try {
        return await work()
      } finally {
        calls.delete(exchange)
        changes.emit('change')
      }
    },

    /** Asks a question, which belongs to the call of an exchange if that is known. */
    async ask(params: ElicitRequest['params'], exchange: Exchange | undefined): Promise<ElicitResult> {
      const owner = exchange && calls.get(exchange)
      if (owner) return owner.pause(owner.elicit(params))
      const question = Symbol('question')
      waiting.push(question)
      changes.emit('change')
      try {
        const call = await findCall(question)
        return call ? await askThrough(call, params) : { action: 'cancel' }
      } finally {
        waiting.splice(waiting.indexOf(question), 1)
        changes.emit('change')
      }
    },
  }
}
