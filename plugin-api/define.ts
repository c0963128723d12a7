import type { JSONSchema, TypeOf } from '#kernel'
import type { ChannelKind } from './channel-kind.ts'
import type { ConfigOf } from './config-of.ts'
import type { ConnectorKind } from './connector-kind.ts'
import type { ChatProviderKind, ProviderKind } from './provider-kind.ts'
import type { SearchEngine } from './search-engine.ts'
import type { Tool, ToolContext } from './tool.ts'

/** Declares a channel kind; returns it unchanged, typed by its schema. */
export const defineChannelKind = <const Schema extends JSONSchema>(
  kind: ChannelKind<ConfigOf<Schema>> & { config_schema: Schema },
): ChannelKind => kind

/** Declares a connector kind; returns it unchanged, typed by its schema. */
export const defineConnectorKind = <const Schema extends JSONSchema>(
  kind: ConnectorKind<ConfigOf<Schema>> & { config_schema: Schema },
): ConnectorKind => kind

/** Declares a provider kind; returns it unchanged, typed by its schema. */
export function defineProviderKind<const Schema extends JSONSchema>(
  kind: ChatProviderKind<ConfigOf<Schema>> & { config_schema: Schema },
): ChatProviderKind
export function defineProviderKind<const Schema extends JSONSchema>(
  kind: ProviderKind<ConfigOf<Schema>> & { config_schema: Schema },
): ProviderKind
export function defineProviderKind(kind: ProviderKind): ProviderKind {
  return kind
}

/** Declares a search engine; returns it unchanged, typed by its schema. */
export const defineSearchEngine = <const Schema extends JSONSchema>(
  engine: SearchEngine<ConfigOf<Schema>> & { config_schema: Schema },
): SearchEngine => engine

/** A tool whose input has the type that its schema describes. */
interface ToolOf<Schema> extends Omit<Tool, 'input_schema' | 'checkInput' | 'needsApproval' | 'execute'> {
  input_schema: Schema
  needsApproval?(input: TypeOf<Schema>, context: ToolContext): boolean | Promise<boolean>
  execute(input: TypeOf<Schema>, context: ToolContext): Promise<string> | string
}

/** Declares a tool; returns it unchanged, typed by its schema. */
export const defineTool = <const Schema extends Tool['input_schema']>(tool: ToolOf<Schema>): Tool =>
  tool as Tool
