import type { JSONSchema, LocalizedText } from '#kernel'
import type { AnyConfig } from './config-of.ts'

/** The way in which accounts sign in to the servers of a kind. */
export const CONNECTOR_AUTHS = ['none', 'headers', 'oauth'] as const

/** One of these ways. */
export type ConnectorAuth = (typeof CONNECTOR_AUTHS)[number]

/** The client that was registered at an authorization server beforehand; without it, one is registered dynamically. */
export interface ConnectorClient {
  client_id: string
  client_secret?: string
}

/** A server of the Model Context Protocol: at an address, or a program of the machine that is started. */
export type ConnectorTarget =
  | {
      transport: 'http'
      url: string
      headers?: Readonly<Record<string, string>>
      client?: ConnectorClient
      /** The scope to ask for, instead of the one that the server names. */
      oauth_scope?: string
      /** Without `omit`, requests of a sign-in name the resource (RFC 8707), which some authorization servers refuse. */
      oauth_resource?: 'send' | 'omit'
      /** The time for which a call may say nothing, instead of the one of the server's settings. */
      call_seconds?: number
    }
  | {
      transport: 'stdio'
      command: string
      args: readonly string[]
      env: Readonly<Record<string, string>>
      call_seconds?: number
    }

/** A kind of connectors: the settings of a connector, and the server that they lead to. */
export interface ConnectorKind<Config = AnyConfig> {
  kind: string
  label: LocalizedText
  /** The purpose of its servers, and the things that a person needs to sign in. */
  description?: LocalizedText
  /** The well-known server that all connectors of this kind lead to, and the page that documents it. */
  preset?: { url: string; documentation: string }
  auth: ConnectorAuth
  /**
   * The JSON Schema of `config`, an object without further properties. A property marked `writeOnly` is a secret: a text,
   * or an object of texts. The properties in `addresses` are checked as addresses that a user chose.
   */
  config_schema: JSONSchema
  addresses?: readonly string[]
  /** True if only administrators may define connectors of this kind. */
  admin_only?: true
  /** Returns the server of a connector; the config has been checked, and its secrets are in the clear. */
  target(config: Config): ConnectorTarget
}
