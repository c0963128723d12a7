import { setTimeout as pause } from 'node:timers/promises'
import type { ImapFlow } from 'imapflow'
import { AppError, ChannelFailure, type ChannelSettings } from '#plugin-api'
import { type EmailConfig, readFolder, readServer, readUsername, type TlsSettings } from './config.ts'
import { toMailFailure } from './failure.ts'

/** Time limit for a connection, and the time without an answer after which it counts as lost, in milliseconds. */
const CONNECT_MS = 20_000
const SILENCE_MS = 5 * 60_000
/** Time for saying goodbye, in milliseconds. */
const LOGOUT_MS = 1000
/** Limits for what a server may send at once, in bytes. */
const MAX_LITERAL_BYTES = 4 * 1024 * 1024
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

/** Settings of the connection that tests shorten. */
export interface ImapTiming {
  /** Milliseconds after which IDLE is begun anew, or the server is asked if it has no IDLE. */
  pollMs: number
  tls: TlsSettings
}

/** Connects, signs in and opens the folder. Throws a `ChannelFailure`. */
export async function openFolder(
  { config, assertAllowed, lookup }: ChannelSettings<EmailConfig>,
  { pollMs, tls }: ImapTiming,
  signal: AbortSignal,
  options: { readOnly?: boolean } = {},
): Promise<ImapFlow> {
  const server = readServer(config.imap_url, config)
  await assertAllowed(server.url)
  signal.throwIfAborted()
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow({
    host: server.host,
    port: server.port,
    secure: server.tls === 'implicit',
    ...(server.tls === 'starttls' && { doSTARTTLS: true }),
    auth: { user: readUsername(config), pass: config.password },
    logger: false,
    clientInfo: { name: 'Agent Platform Service' },
    // Given to `net.connect` as well.
    tls: { ...tls, lookup } as TlsSettings,
    autoIdleDelay: Math.min(1000, pollMs),
    maxIdleTime: pollMs,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLineLength: MAX_LITERAL_BYTES,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
    maxResponseTokens: 200_000,
  })
  let failure: unknown
  client.on('error', (error: unknown) => {
    failure = error
  })
  const abort = () => client.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await client.connect()
    await client.mailboxOpen(readFolder(config), options).catch((error: unknown) => {
      if (error && (error as { responseStatus?: string }).responseStatus === 'NO')
        throw new ChannelFailure(
          'not_found',
          `The folder "${readFolder(config)}" cannot be opened. Check its name; parts of a path are separated as the server does, e.g. INBOX/Agent or INBOX.Agent.`,
        )
      throw error
    })
    return client
  } catch (error) {
    client.close()
    if (error instanceof AppError) throw error
    throw toMailFailure('IMAP', failure ?? error, signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Signs out, and closes the connection at the latest after a second. */
export async function closeFolder(client: ImapFlow): Promise<void> {
  // A server that is gone cannot confirm it.
  const logout = client.logout().catch(() => undefined)
  await Promise.race([logout, pause(LOGOUT_MS, undefined, { ref: false })])
  client.close()
}
