import { listCauses } from '#plugin-api'
import { ConnectorFailure, reasonOfStatus, SessionLost } from './failure.ts'
import { cutWords, findWords, isAboutGreeting, isAboutSession, sentenceOfStatus } from './server-words.ts'

/** The codes of JSON-RPC with which servers refuse an unknown session. */
const SESSION_CODES = new Set<unknown>([-32000, -32001, -32600])

/** A server refused a request by the status of its reply. */
export class HttpRefusal extends ConnectorFailure {
  readonly status: number
  /** The reason in the words of the server; empty if it gave none. */
  readonly words: string

  constructor(status: number, words: string, options?: ErrorOptions) {
    super(reasonOfStatus(status), sentenceOfStatus(status, words), options)
    this.status = status
    this.words = words
  }
}

/** Returns the failure of a reply with a status that refuses the request. */
export function toRefusal(status: number, body: string, hasSession: boolean): ConnectorFailure {
  const words = findWords(body)
  const isUnknownSession = hasSession && (status === 404 || status === 410)
  // Before a login, a server that keeps sessions asks for one.
  if (isUnknownSession || (status !== 403 && isAboutSession(words)))
    return new SessionLost(sentenceOfStatus(status, words))
  return new HttpRefusal(status, words)
}

/** A refusal that seems to be due to a lost session. */
interface LostSession {
  failure: SessionLost
  /** True if the words may also be about a session of a tool, such as one of a browser. */
  isDoubtful: boolean
}

/** Returns SessionLost for an error of JSON-RPC that refuses a request because of its session. */
export function findLostSession(error: unknown): LostSession | undefined {
  const refusal = listCauses(error).find(
    ({ name, code }) => name === 'ProtocolError' && SESSION_CODES.has(code),
  )
  const words = String(refusal?.message ?? '')
  if (!isAboutSession(words)) return undefined
  const failure = new SessionLost(`It answered: ${cutWords(words)}`, { cause: error })
  return { failure, isDoubtful: !isAboutGreeting(words) }
}
