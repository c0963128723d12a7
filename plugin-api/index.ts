export * from '#kernel/types'

// The line above is the first, since `declare module` of a plugin adds to the interfaces that it exports.

export * from '#kernel'
export {
  type AgentSettings,
  agentKey,
  agentRow,
  connectorIds,
  knowledgeBaseIds,
  listedAgentRow,
  modelSettings,
  newAgent,
  PERSONA_CODES,
  personaCode,
} from './agent.ts'
export type { BuiltInPlugins } from './built-in.ts'
export { CHANNEL_FAILURES, ChannelFailure, type ChannelFailureReason } from './channel-failure.ts'
export * from './channel-kind.ts'
export type {
  ChatFilter,
  FilterBlock,
  FilterContext,
  FilterMessage,
  FilterNotice,
  FilterRefusalReason,
} from './chat-filter.ts'
export type { AnyConfig, ConfigOf } from './config-of.ts'
export * from './connector-kind.ts'
export { budgetRow, budgetState, type Cost, costRow, fromBillionths, timeZone, toBillionths } from './cost.ts'
export {
  defineChannelKind,
  defineConnectorKind,
  defineProviderKind,
  defineSearchEngine,
  defineTool,
} from './define.ts'
export * from './document.ts'
export { type Expert, missingTools, type QuickPrompt, quickPrompts, taskExamples } from './expert.ts'
export { access, type Grants, grantList, grantRoutes } from './grants.ts'
export { cookieWish, currentUser, type LoginReply, loginReply } from './login-reply.ts'
export {
  createDeclarable,
  type DeclarableKind,
  type Managed,
  managedIndex,
  managedRow,
  showManaged,
} from './managed.ts'
export * from './provider-kind.ts'
export * from './search-engine.ts'
export { addUsage, type MediaUsage, NO_USAGE, type TokenUsage } from './token-usage.ts'
export type {
  ApprovalStep,
  AuthorizationNeed,
  CitedPage,
  CitedPassage,
  CitedResource,
  CitedSource,
  OfferedTurn,
  StepDecision,
  Tool,
  ToolContext,
  ToolNotice,
  TurnMaterial,
  WriteArea,
} from './tool.ts'
export * from './toolbox/index.ts'
export * from './webhook-source.ts'
