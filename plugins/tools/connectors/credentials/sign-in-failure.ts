import { ConnectorFailure } from '../connections/failure.ts'
import { cutWords } from '../connections/server-words.ts'
import type { ConnectorFailureReason } from '../types.ts'

/** The faults of a sign-in, each with the reason that a call fails for and the sentence that it fails with. */
const FAULTS = {
  unavailable: ['unavailable', 'The authorization server does not answer as it should at the moment.'],
  metadata: ['protocol', 'The description of the sign-in cannot be used.'],
  registration: [
    'forbidden',
    'The authorization server does not register this server as a client. Enter a client id in the settings of the connector.',
  ],
  client: ['forbidden', 'The authorization server does not accept the client id or its secret.'],
  resource: [
    'forbidden',
    'The authorization server does not accept the parameter “resource”. Set oauth_resource to “omit” in the settings of the connector.',
  ],
  issuer: ['forbidden', 'The answer comes from another authorization server than the sign-in began with.'],
  refused: ['forbidden', 'The authorization server refused the sign-in.'],
} as const satisfies Record<string, readonly [ConnectorFailureReason, string]>

/** A fault of a sign-in. */
export type SignInFault = keyof typeof FAULTS

/** A sign-in, or a refresh of its tokens, that failed; the message may contain words of an authorization server. */
export class SignInFailure extends ConnectorFailure {
  readonly fault: SignInFault
  /** The error code of OAuth, if the server named one. */
  readonly code: string | undefined
  /** The status of the reply, if there was one. */
  readonly status: number | undefined
  /** The cause in technical words. */
  readonly detail: string

  constructor(
    fault: SignInFault,
    detail = '',
    { code, status, ...options }: ErrorOptions & { code?: string; status?: number } = {},
  ) {
    const [reason, sentence] = FAULTS[fault]
    const words = cutWords(detail)
    super(reason, words ? `${sentence} (${words})` : sentence, options)
    this.fault = fault
    this.code = code
    this.status = status
    this.detail = words || sentence
  }
}

/** The errors of Entra for a resource that is unknown, or is sent together with scopes. */
const RESOURCE_REFUSED = /\bAADSTS(?:901002|90100\d{2})\b/

/** True if an error says that the parameter `resource` is not accepted. */
export const isResourceRefusal = (code: string | undefined, description = ''): boolean =>
  code === 'invalid_target' || RESOURCE_REFUSED.test(`${code} ${description}`)

/** True if an authorization server does not know a client, as opposed to an outage that looks alike. */
export const isClientUnknown = (error: unknown): boolean =>
  error instanceof SignInFailure && error.fault === 'client' && error.code !== undefined
