import type { Locale } from '#kernel'
import type { Artifact, MessageDocument, ThreadDocument } from './documents.ts'
import { fileUrl } from './file-url.ts'
import type { Cradle } from './manifest.ts'
import { newestWithin } from './threads/named.ts'

/** The most bytes of artifacts, and of sources, that a thread has in a list. */
const LISTED_BYTES = { artifacts: 4096, sources: 8192 }

/** A thread as its user sees it. */
export const toThreadRow = ({
  _id,
  user_id,
  agent_id,
  last_seq,
  deleted_at,
  active_turn,
  queue_tail,
  summary,
  base,
  projection_version,
  migration,
  ...thread
}: ThreadDocument) => ({
  thread_id: _id,
  allowed_tools: [],
  ...thread,
  artifacts: toArtifactRows(agent_id, thread.artifacts),
  turn_active: active_turn !== null,
})

/** A thread in a list, with the newest of what it names. */
export function toThreadListRow(thread: ThreadDocument) {
  const { artifacts, sources, ...row } = toThreadRow(thread)
  return {
    ...row,
    artifacts: newestWithin(artifacts, LISTED_BYTES.artifacts),
    sources: newestWithin(sources, LISTED_BYTES.sources),
  }
}

/** Files that turns made, with their addresses. */
export const toArtifactRows = (agent_id: string, artifacts: readonly Artifact[]) =>
  artifacts.map((artifact) => ({ ...artifact, url: fileUrl(agent_id, artifact.path) }))

/** A message of a thread with an agent as its user reads it. */
export const toMessageRow = (
  { _id, thread_id, position, artifacts, error, ...message }: MessageDocument,
  agent_id: string,
  { locale, describeError }: { locale: Locale } & Pick<Cradle, 'describeError'>,
) => ({
  id: _id,
  ...message,
  ...(artifacts && { artifacts: toArtifactRows(agent_id, artifacts) }),
  ...(error && {
    error: {
      code: error.code,
      message: describeError(error.code, error.details, locale) ?? error.message,
    },
  }),
})
