import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { language } from '../i18n/language.ts'
import { readToken, renewToken, SignedOut } from '../session/token.ts'
import { waitToRetry } from './wake.ts'

const MIN_DELAY_MS = 1_000
const MAX_DELAY_MS = 30_000

interface Follower {
  address: string
  /** Called when a stream has begun. */
  onOpen?(): void
  /** The id of the event that was received last, after which a new stream continues. */
  readLastId(): string | undefined
  receive(message: EventSourceMessage): void
  /** Called when a stream has ended, before the next one is tried. */
  onLost?(): void
  signal: AbortSignal
}

/** Reads the events at an address, with a new stream after each that ends, until it is aborted. */
export async function followStream({
  readLastId,
  receive,
  onLost,
  signal,
  ...stream
}: Follower): Promise<void> {
  let failures = 0
  const note = (message: EventSourceMessage) => {
    // The stream ends with it, and the next one is refused if the reason remains.
    if (message.event === 'error') return
    failures = 0
    receive(message)
  }
  while (!signal.aborted) {
    try {
      const isServed = await readStream({ ...stream, lastEventId: readLastId(), receive: note, signal })
      if (!isServed) return
    } catch (error) {
      if (signal.aborted || error instanceof SignedOut) return
    } finally {
      onLost?.()
    }
    failures += 1
    const delay = Math.min(MIN_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)
    await waitToRetry(delay * (0.5 + Math.random() / 2))
  }
}

/** Reads one stream to its end; returns false if this server has no events. */
async function readStream({
  address,
  onOpen,
  lastEventId,
  receive,
  signal,
}: Pick<Follower, 'address' | 'onOpen' | 'receive' | 'signal'> & {
  lastEventId: string | undefined
}): Promise<boolean> {
  const open = async (refused?: string) => {
    const headers = {
      authorization: `Bearer ${await renewToken(refused)}`,
      accept: 'text/event-stream',
      'accept-language': language,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    }
    return fetch(address, { headers, signal })
  }
  let response = await open()
  if (response.status === 401) {
    await response.text()
    response = await open(readToken())
  }
  if (response.status === 404) return false
  if (!response.ok || !response.body) throw new TypeError(`The server answered ${response.status}.`)
  onOpen?.()
  const parser = createParser({ onEvent: receive })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return true
    parser.feed(value)
  }
}
