import { createDeadline, type Json, parseObject, readBody, toWellFormedJSON } from '#plugin-api'
import { toOutage } from './failure.ts'

/** Time limit for an answer. */
export const REQUEST_MS = 30_000

/** The longest known answers have a few kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** An answer of DingTalk; the body is empty if it is not a JSON object. */
export interface Answer {
  status: number
  headers: Headers
  body: Json
}

/** The content of a request; an object is sent as JSON. */
export interface Question {
  method?: 'POST' | 'PUT'
  headers?: Record<string, string>
  body: object | Uint8Array
  signal?: AbortSignal | undefined
}

/**
 * Creates the sender of requests, which `closing` aborts. It resolves for any HTTP status, and rejects with a
 * `ChannelFailure` if no answer comes.
 */
export function createRequest({ fetch, closing }: { fetch: typeof globalThis.fetch; closing: AbortSignal }) {
  async function ask(url: string, { method = 'POST', headers, body }: Question, signal: AbortSignal) {
    const isBytes = body instanceof Uint8Array
    const response = await fetch(url, {
      method,
      headers: {
        // Without this header some answers are XML.
        accept: 'application/json',
        ...(!isBytes && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isBytes ? (body as Uint8Array<ArrayBuffer>) : toWellFormedJSON(body),
      redirect: 'error',
      signal,
    })
    return {
      status: response.status,
      headers: response.headers,
      // An answer that is too long counts as an empty one.
      body: parseObject((await readBody(response.body, MAX_ANSWER_BYTES))?.toString()) ?? {},
    }
  }

  return async (url: string, question: Question): Promise<Answer> => {
    const deadline = createDeadline([closing, question.signal], { milliseconds: REQUEST_MS })
    try {
      return await ask(url, question, deadline.signal)
    } catch (error) {
      throw toOutage(error, deadline.signal)
    } finally {
      deadline.release()
    }
  }
}
