import type { ConnectorKind, Managed, Shared, StoredGrant } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Challenge } from './credentials/challenge.ts'

/** The result of the last check of a connector. */
export type ConnectorStatus = 'ready' | 'unauthorized' | 'connecting' | 'failed'

/** The reasons why a server cannot be used. */
export const CONNECTOR_FAILURES = [
  'unauthorized',
  'forbidden',
  'not_found',
  'unreachable',
  'timeout',
  'address_not_allowed',
  'protocol',
  'too_large',
  'program',
  'unavailable',
  'unknown',
] as const

/** One of these reasons. */
export type ConnectorFailureReason = (typeof CONNECTOR_FAILURES)[number]

/**
 * The greeting of a server of an earlier version. The latest greeting is tried first, unless one of these has worked.
 */
export type Greeting = 'initialize' | 'sse'

/** A tool as a server described it when it was last asked. */
export interface StoredTool {
  /** The server's name of the tool. */
  name: string
  /** The part of the name after the connector's that models call it by: letters, digits, `_` and `-` only. */
  call_name: string
  title: string | null
  description: string
  read_only: boolean
  destructive: boolean
  /** True if the server says that calling it twice does the same as calling it once. */
  idempotent?: boolean
  /** The schema of its input as JSON, because documents of the database cannot hold every name of a field. */
  input_schema: string
  /** Changes with everything that models and people read about the tool. */
  fingerprint: string
}

/** A tool as somebody has seen it. */
export type SeenTool = Pick<StoredTool, 'name' | 'fingerprint'>

/** A connector; times are Unix seconds. */
export interface ConnectorDocument extends Managed, Shared {
  _id: string
  name: string
  kind: string
  scope: 'user' | 'global'
  /** Null for a global connector. */
  owner_id: string | null
  owner_username: string | null
  /** The config without the fields that the kind's schema marks writeOnly. */
  config: Record<string, unknown>
  /** The writeOnly fields: JSON, sealed for the purpose `connector:<_id>`. */
  secret_config: string | null
  /** True if each turn of its account has it, with every agent. */
  is_default: boolean
  /**
   * True if an administrator has chosen an address in a private network; the addresses it leads to are not checked
   * either.
   */
  is_trusted: boolean
  status: ConnectorStatus
  /** The kind of the last check's failure; documents of earlier checks lack it. */
  reason?: ConnectorFailureReason | null
  error: string | null
  /** The refusal of the last request without credentials, at that revision. */
  challenge?: Challenge & { revision: number }
  /** The issuer to which the secret of an entered client was sent first, at that revision. */
  client_issuer?: { issuer: string; revision: number }
  /** The greeting that has worked last, at that revision. */
  greeting?: { form: Greeting; revision: number }
  tools: StoredTool[]
  /** The tools that an account with the right to change the connector has seen. */
  seen: SeenTool[]
  /** Changes with every change of `tools`. */
  tools_stamp: string
  /** The end of a program's standard error. */
  log?: string
  checked_at: number | null
  /** Increases with every change that needs new connections. */
  revision: number
  created_at: number
  updated_at: number
}

/** The fields of an account that decide what it sees. */
export type Viewer = Pick<AuthCaller, 'id' | 'role' | 'groups'>

declare module '#kernel/types' {
  interface Events {
    /**
     * A connector, its tools or its state changed, or it was deleted; with its owner and its grants, before and after,
     * which a global one that is everybody's lacks.
     */
    'connector.changed': { connector_id: string; owner_id: string | null; grants?: StoredGrant[] }
  }
  interface ExtensionPoints {
    /** Kinds of connectors. */
    'connectors.kinds': ConnectorKind
  }
}
