import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** A message of a chat-completions request. */
export interface ChatMessage {
  role: string
  content?: string | { type: string; text?: string; [field: string]: unknown }[] | null
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** The body of a chat-completions request. */
export interface ChatBody {
  model: string
  messages: ChatMessage[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  tools?: { type: string; function: { name: string; description?: string; parameters: unknown } }[]
  [field: string]: unknown
}

/** The body of an embeddings request. */
export interface EmbeddingBody {
  model: string
  input: string | string[]
  [field: string]: unknown
}

/** A request as it arrived; both times are `performance.now()` milliseconds of this process. */
export interface FakeRequest<Body> {
  /** With its query. */
  path: string
  headers: IncomingHttpHeaders
  body: Body
  receivedAt: number
  /** Settles only when the client leaves before it has the whole reply. */
  aborted: Promise<void>
  abortedAt?: number
}

/** Records a request, and when its client leaves. */
export function record(req: IncomingMessage, res: ServerResponse, body: unknown): FakeRequest<unknown> {
  const { promise, resolve } = deferred()
  const recorded: FakeRequest<unknown> = {
    path: req.url ?? '',
    headers: req.headers,
    body,
    receivedAt: performance.now(),
    aborted: promise,
  }
  res.once('close', () => {
    // A reply that this side cut short has its socket ended by us, which is no abort of the client's.
    if (res.writableFinished || cutShort.has(res)) return
    recorded.abortedAt = performance.now()
    resolve()
  })
  return recorded
}

const cutShort = new WeakSet<ServerResponse>()

/** Ends a reply in the middle, which does not count as an abort by the client. */
export function hangUp(res: ServerResponse): void {
  cutShort.add(res)
  res.socket?.destroySoon()
}

/** A promise and the function that settles it. */
export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
