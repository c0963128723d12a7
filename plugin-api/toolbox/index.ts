// Functions that several built-in plugins and kinds share; plugin-api/index.ts exports some of them to third parties.

export { attributeWords, indentWords, LINE_BREAK, toLine } from './attributed-words.ts'
export { describeInBrackets } from './bracket-words.ts'
export { measureCollections } from './collection-size.ts'
export { type ConfinedPool, createConfinedPool } from './confined-pool.ts'
export { type ConfinedProgram, type Confinement, ConfinementError } from './confined-program.ts'
export { cutText } from './cut-text.ts'
export { createDeadline, type Deadline, untilAborted, withDeadline } from './deadline.ts'
export { type Conditional, makeTag, missOf, replyWithTag, requireUnchanged } from './entity-tag.ts'
export { type FolderCursor, openCursor } from './folder-cursor.ts'
export { createFolderDisposal, describeLeftFolders, type FolderDisposal } from './folder-disposal.ts'
export { createGroupCommit, type GroupCommit } from './group-commit.ts'
export { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
export { createTransport, type Transport, toProxyAddress } from './http-proxy.ts'
export { type JointWriter, jointWriterOf, type Write, type WriteRequest } from './joint-writer.ts'
export { isObject, type Json, parseJsonObject } from './json-object.ts'
export { createKeyedQueue } from './keyed-queue.ts'
export { closedSchema, createConfigCheck, createKindCheck, createKinds } from './kinds.ts'
export { mergePatch } from './merge-patch.ts'
export { describeMissingPackage, findMissingPackage } from './missing-package.ts'
export { inferModelKind } from './model-kind.ts'
export { NAME_PATTERN } from './name-pattern.ts'
export {
  findErrorCode,
  findNetworkFailure,
  listCauses,
  type NetworkFailure,
  readNetworkFailure,
} from './network-failure.ts'
export { isWithin, type OpenFolder, openFolder } from './open-folder.ts'
export { assertOwnPage } from './own-page.ts'
export {
  findPage,
  linkToNext,
  MAX_PAGE_ROWS,
  type Page,
  type PageRequest,
  pageOf,
  pageQuery,
  pageReply,
  readCursor,
  writeCursor,
} from './paging.ts'
export { decodePercent } from './percent-encoding.ts'
export { createPhrases, describeEnd, sayEnd } from './phrases.ts'
export { detectPictureType } from './picture-type.ts'
export { withPlainConditions } from './plain-conditions.ts'
export { hasEnded, type ProcessIdentity, thisProcess } from './process-identity.ts'
export { readRetryAfter } from './retry-after.ts'
export { createReferenceSearch } from './schema-references.ts'
export { createKeyedSemaphore, createSemaphore, type Semaphore } from './semaphore.ts'
export {
  createSealedConfigs,
  listSecretFields,
  type SealedConfigs,
  type StoredConfig,
} from './sealed-config.ts'
export { placeOf, secretsElsewhere } from './stored-secret.ts'
export { requestStream } from './streaming-request.ts'
export { listTemplateFolders } from './template-folders.ts'
export { askOnTerminal } from './terminal-question.ts'
export { CHARACTERS_PER_TOKEN, IMAGE_TOKENS } from './token-estimate.ts'
export { toResultText } from './tool-result-text.ts'
export { removeTree, unlessMissing } from './tree-removal.ts'
export { type TreeEntry, walkTree } from './tree-walk.ts'
export { toWellFormedJSON } from './well-formed-json.ts'
export { createWorkClock, type WorkClock } from './work-clock.ts'
