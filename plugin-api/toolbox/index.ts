// Functions that several plugins and kinds share.

export { listTemplateFolders } from '../expert.ts'
export { afterBeat, atBeat } from './beat.ts'
export { measureCollections } from './collection-size.ts'
export { type ConfinedPool, createConfinedPool } from './confined-pool.ts'
export {
  type ConfinedProgram,
  type Confinement,
  ConfinementError,
  startConfinedProgram,
} from './confined-program.ts'
export { CSV_START, toCsvLine } from './csv.ts'
export { type Conditional, makeTag, missOf, replyWithTag, requireUnchanged } from './entity-tag.ts'
export { type FolderCursor, openCursor } from './folder-cursor.ts'
export { createFolderDisposal, describeLeftFolders, type FolderDisposal } from './folder-disposal.ts'
export { fold } from './folding.ts'
export { createGroupCommit, type GroupCommit } from './group-commit.ts'
export {
  detectAudioType,
  detectPictureType,
  encodeForm,
  readBody,
  readMediaType,
  readPieces,
  readRetryAfter,
} from './http-body.ts'
export { createTransport, type Transport, toProxyAddress } from './http-proxy.ts'
export {
  type JointWriter,
  jointWriterOf,
  toRepeatable,
  type Write,
  type WriteRequest,
} from './joint-writer.ts'
export {
  isObject,
  type Json,
  mergePatch,
  parseLoosely,
  parseObject,
  toFilledText,
  toNumber,
  toObject,
  toObjects,
  toScalarText,
  toText,
} from './json-object.ts'
export { createKeyedQueue } from './keyed-queue.ts'
export {
  attributeWords,
  closedSchema,
  createConfigCheck,
  createKindCheck,
  createKinds,
  describeInBrackets,
  indentWords,
  LINE_BREAK,
  toLine,
} from './kinds.ts'
export { MODEL_CALL_ERRORS } from './model-call-errors.ts'
export { CHARACTERS_PER_TOKEN, IMAGE_TOKENS, inferModelKind } from './model-guesses.ts'
export { listNames, type NamedObject } from './named-documents.ts'
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
export { createPhrases, describeEnd, sayEnd } from './phrases.ts'
export { withPlainConditions } from './plain-conditions.ts'
export {
  indexMeanings,
  indexReasons,
  isRefusal,
  PlatformRefusal,
  toPlatformFailure,
} from './platform-failure.ts'
export { hasEnded, type ProcessIdentity, thisProcess } from './process-identity.ts'
export { createRecentSet } from './recent-set.ts'
export { createReferenceSearch } from './schema-references.ts'
export {
  createSealedConfigs,
  listSecretFields,
  placeOf,
  type SealedConfigs,
  type StoredConfig,
  secretsElsewhere,
} from './sealed-config.ts'
export { createKeyedSemaphore, createSemaphore, type Semaphore } from './semaphore.ts'
export {
  type Access,
  createShareable,
  EVERYONE,
  grantedAccess,
  granteesOf,
  isChangedOnlyBy,
  isEditableBy,
  isForEveryone,
  isGrantedTo,
  isOpenTo,
  listLosers,
  type Person,
  type Shareable,
  type ShareableDocument,
  type Shared,
  type SharedThing,
  type Sharer,
  type StoredGrant,
  shareWithEveryone,
  sharingIndexes,
  toGrantUpdate,
} from './sharing.ts'
export { makeSilence } from './silence.ts'
export { askOnTerminal } from './terminal-question.ts'
export {
  cutText,
  decodePercent,
  encodeLinkPath,
  escapePattern,
  findFreeName,
  NAME_PATTERN,
  toWellFormedJSON,
} from './text.ts'
export {
  describeMissingPackage,
  findErrorCode,
  findMissingPackage,
  findNetworkFailure,
  listCauses,
  type NetworkFailure,
  readNetworkFailure,
} from './thrown-error.ts'
export { createTokenCache } from './token-cache.ts'
export { toResultText } from './tool-result-text.ts'
export { removeTree, unlessMissing } from './tree-removal.ts'
export { type TreeEntry, walkTree } from './tree-walk.ts'
export { toWords } from './words.ts'
export { createWorkClock, type WorkClock } from './work-clock.ts'
