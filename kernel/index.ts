export { JSON_OPTION, printJson, printTable } from './cli/print.ts'
export { readServerNote, type ServerNote } from './cli/server-note.ts'
export { type Clock, untilTick } from './clock.ts'
export type { Command, CommandInput } from './contract/command.ts'
export { type ErrorForm, findErrorForm, inErrorForm, type UnansweredRequest } from './contract/error-form.ts'
export type { EventBus } from './contract/events.ts'
export type { AllExtensions, ExtensionPoint, Extensions } from './contract/extensions.ts'
export { compileFor, createFormCheck } from './contract/form.ts'
export type { Caller, ContextOf, Guard, GuardRequest, GuardUse } from './contract/guard.ts'
export type { Host } from './contract/host.ts'
export type { Job } from './contract/job.ts'
export type { Pages } from './contract/pages.ts'
export {
  type ApiTag,
  defineManifest,
  definePlugin,
  type Manifest,
  type Permission,
  type Plugin,
} from './contract/plugin.ts'
export {
  type ChosenReply,
  type DefineRoute,
  type Download,
  defineRoute,
  type FileReply,
  isProbe,
  type Method,
  type RequestOf,
  type Route,
  type RouteSpec,
  reply,
  type ServerSentEvent,
  type StreamItem,
  type UploadedFile,
  type UploadSpec,
} from './contract/route.ts'
export {
  type Connection,
  type DefineSocket,
  defineSocket,
  type FrameOf,
  type FrameSchemas,
  type OpeningRequest,
  type Socket,
} from './contract/socket.ts'
export type {
  AuditRecord,
  Collections,
  Cradle,
  ErrorCode,
  Events,
  ExtensionPoints,
  GuardContexts,
  KeptReply,
  KernelServices,
  LimitName,
  PluginState,
  PrivateServices,
  RepeatableCall,
  ServerFacts,
  Services,
  SettingsOf,
} from './contract/types.ts'
export { isDuplicateKey, isOnlyDuplicates, isUnavailable } from './database/driver-errors.ts'
export { acquireLease, type LeaseDocument } from './database/lease.ts'
export type { Migration } from './database/migrations.ts'
export { noteWrite, WRITING_METHODS } from './database/own-collections.ts'
export { createDeadline, type Deadline, untilAborted, withDeadline } from './deadline.ts'
export { AppError, ConfigError, type ErrorDefinition, type ErrorTable } from './errors.ts'
export { type BoundedFetch, createBoundedFetch, type FetchBounds } from './http/bounded-fetch.ts'
export type { ErrorBody, ErrorDescriber, ErrorExplainer } from './http/error-reply.ts'
export { createGuardedFetch, type GuardedFetch } from './http/guarded-fetch.ts'
export { kernelRoutes } from './http/health.ts'
export { networkOf, originOf } from './http/network.ts'
export { isRepeatable } from './http/repetition.ts'
export { listsTag } from './http/request-facts.ts'
export { requestStream, type StreamedAnswer, type StreamingRequest } from './http/streaming-request.ts'
export type { Ids } from './ids.ts'
export { createJsonMeter, JsonTooComplex, MAX_JSON_LEVELS, MAX_JSON_VALUES, parseJson } from './json-meter.ts'
export { type Blueprint, extensionsOf, readBlueprint } from './loading/blueprint.ts'
export type { PlannedPlugin } from './loading/consistency.ts'
export { locate } from './loading/discovery.ts'
export { BUILT_IN, linkServer, OWN_PACKAGE, SVC_COMMAND } from './loading/package.ts'
export {
  chooseLocale,
  LOCALES,
  type Locale,
  type LocalizedText,
  languageTag,
  localeName,
  localizedText,
  nearestLocale,
} from './locale.ts'
export { createLogger, type Logger } from './log.ts'
export { nameNearest } from './nearest-name.ts'
export {
  assertSchema,
  compileSchema,
  deferSchema,
  type Issue,
  type JSONSchema,
  nullable,
  objectOf,
  rowOf,
  type TypeOf,
  type Validator,
} from './schema.ts'
export { keyPathIn, openKeyRing } from './security/key-ring.ts'
export { type LimitSpec, type Limits, limitStates } from './security/limits.ts'
export { createRecentValues, type RecentValues } from './security/recent-values.ts'
export { assertKeyKept } from './security/sealed-fields.ts'
export { createSecrets, MASK, maskOf, type Secrets } from './security/secrets.ts'
export { explainUnwritable } from './server/storage.ts'
export { BAD_FRAMES_IN_A_ROW, CLOSE, PING_INTERVAL_MS, type SocketDirectory } from './socket/directory.ts'
export { withType } from './socket/frames.ts'
