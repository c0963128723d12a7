import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { ChannelFailure, type ConfigOf, type JSONSchema } from '#plugin-api'

/** The schema of a channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    address: {
      type: 'string',
      title: 'Address',
      description: 'The address of the mailbox, to which people write and from which the agent answers',
      pattern: '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$',
      maxLength: 254,
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'The password of the mailbox, or an app password if the account has a second factor',
      writeOnly: true,
      minLength: 1,
      maxLength: 512,
    },
    username: {
      type: 'string',
      title: 'User name',
      description: 'The name for signing in, if it is not the address',
      maxLength: 254,
    },
    imap_url: {
      type: 'string',
      title: 'Incoming mail (IMAP)',
      description:
        'imaps://host for TLS, or imap://host for STARTTLS; with :port if it is not 993 or 143, respectively',
      pattern: '^imaps?://[^/@\\s?#]+/?$',
      maxLength: 512,
    },
    smtp_url: {
      type: 'string',
      title: 'Outgoing mail (SMTP)',
      description:
        'smtps://host for TLS, or smtp://host for STARTTLS; with :port if it is not 465 or 587, respectively',
      pattern: '^smtps?://[^/@\\s?#]+/?$',
      maxLength: 512,
    },
    allowed_senders: {
      type: 'array',
      title: 'Allowed senders',
      description: 'Addresses such as ann@example.com, or domains such as example.com, that may write',
      items: { type: 'string', pattern: '^(?:[^\\s@*<>,;"]*@)?[^\\s@*<>,;"]+$', maxLength: 254 },
      minItems: 1,
      maxItems: 500,
    },
    mailbox: {
      type: 'string',
      title: 'Folder',
      description: 'The folder that is watched; INBOX by default',
      maxLength: 256,
    },
    sender_name: {
      type: 'string',
      title: 'Name',
      description: 'The name that people see as the sender of answers',
      pattern: '^[^\\r\\n]*$',
      maxLength: 128,
    },
    authserv_id: {
      type: 'string',
      title: 'Authentication host',
      description:
        'The name with which your mail server begins its Authentication-Results, such as mx.example.com. If it is set, only mails that it has authenticated are answered.',
      pattern: '^[^\\s;]+$',
      maxLength: 254,
    },
    allow_plain_text: {
      type: 'boolean',
      title: 'Allow connections without TLS',
      description: 'Sends the password unencrypted if the server offers no TLS',
    },
  },
  required: ['address', 'password', 'imap_url', 'smtp_url', 'allowed_senders'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of an e-mail channel. */
export type EmailConfig = ConfigOf<typeof configSchema>

/** The name for signing in. */
export const readUsername = ({ username, address }: Pick<EmailConfig, 'username' | 'address'>): string =>
  username || address

/** The folder that is watched. */
export const readFolder = ({ mailbox }: Pick<EmailConfig, 'mailbox'>): string => mailbox || 'INBOX'

/** Returns the account and the folder of a config; undefined if the config is incomplete. */
export function readIdentity(config: Partial<EmailConfig>): string | undefined {
  const { address, imap_url } = config
  if (!address || !imap_url || !URL.canParse(imap_url)) return undefined
  const account = readUsername({ ...config, address }).toLowerCase()
  return `${account} ${new URL(imap_url).hostname.toLowerCase()} ${readFolder(config)}`
}

/** Throws a ChannelFailure if the settings cannot work together. */
export function assertPossible({ address, allowed_senders = [], allow_from }: WholeConfig): void {
  const mailbox = address?.toLowerCase()
  const senders = allowed_senders.map((sender) => sender.toLowerCase())
  if (mailbox && senders.length > 0 && senders.every((sender) => sender === mailbox))
    throw new ChannelFailure(
      'unsupported',
      'The only allowed sender is the mailbox itself, whose own mails are never answered.',
    )
  const stranger = allow_from?.find((id) => !isAllowedSender(id.toLowerCase(), senders))
  if (stranger !== undefined && senders.length > 0)
    throw new ChannelFailure(
      'unsupported',
      `allow_from names ${stranger}, who is not among the allowed senders. Add the address or its domain there as well.`,
    )
}

/** The fields of a config that `assertPossible` compares, one of them common to all kinds. */
type WholeConfig = Partial<Pick<EmailConfig, 'address' | 'allowed_senders'>> & { allow_from?: string[] }

/** True if an address in lower case is listed, or is of a listed domain. */
export const isAllowedSender = (address: string, senders: readonly string[]): boolean =>
  senders.some((sender) => {
    const entry = sender.toLowerCase()
    return address === entry || address.endsWith(entry.startsWith('@') ? entry : `@${entry}`)
  })

/** Settings for TLS that only tests have: certificates that are trusted as well. */
export type TlsSettings = Pick<ConnectionOptions, 'ca'>

/** The way in which a connection is encrypted. `opportunistic` uses TLS if the server offers it. */
export type TlsMode = 'implicit' | 'starttls' | 'opportunistic'

/** A mail server of a config. */
export interface MailServer {
  url: string
  /** Without brackets. */
  host: string
  port: number
  tls: TlsMode
}

const PORTS: Readonly<Record<string, number>> = { 'imaps:': 993, 'imap:': 143, 'smtps:': 465, 'smtp:': 587 }

/** Reads the address of a server. Without TLS, it must be on this machine or in `allow_hosts`. */
export function readServer(url: string, { allow_plain_text = false }: EmailConfig): MailServer {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const isPlainAllowed = allow_plain_text || isLoopback(host)
  return {
    url,
    host,
    port: Number(port) || PORTS[protocol]!,
    tls: protocol.endsWith('s:') ? 'implicit' : isPlainAllowed ? 'opportunistic' : 'starttls',
  }
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
