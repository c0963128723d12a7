import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { showToast } from '../ui/toast.tsx'
import { dropThread, placeThread } from './listed-threads.ts'
import { closeThread } from './store/threads.ts'
import type { ThreadRow } from './thread-list.ts'

type Changes = components['schemas']['UpdateThreadBody']

/** The paths of what shows threads, besides the lists of them. */
const SHOWN = ['/agents/{id}/threads', '/projects', '/search']

const paramsOf = ({ agent_id, thread_id }: ThreadRow) => ({ path: { id: agent_id, thread_id } })

/** Stores changes of a thread. */
export async function changeThread(thread: ThreadRow, body: Changes): Promise<void> {
  const params = paramsOf(thread)
  await placeThread(
    thread.agent_id,
    await send(client.PATCH('/agents/{id}/threads/{thread_id}', { params, body })),
  )
  await refresh(...SHOWN)
}

/** Archives a thread, or takes it out of the archive, and offers to undo that. */
export async function archiveThread(thread: ThreadRow, archived: boolean): Promise<void> {
  await changeThread(thread, { archived })
  showToast(t(archived ? 'conversations.archived_done' : 'conversations.unarchived_done'), () =>
    changeThread(thread, { archived: !archived }),
  )
}

/** Moves a thread to a project, or out of its project, and offers to undo that. */
export async function moveThread(
  thread: ThreadRow,
  project: { id: string; name: string } | undefined,
): Promise<void> {
  await changeThread(thread, { project_id: project?.id ?? null })
  const text = project ? t('conversations.moved', { project: project.name }) : t('conversations.moved_out')
  showToast(text, () => changeThread(thread, { project_id: thread.project_id }))
}

/** Deletes a thread and its messages. */
export async function deleteThread(thread: ThreadRow): Promise<void> {
  await send(client.DELETE('/agents/{id}/threads/{thread_id}', { params: paramsOf(thread) }))
  closeThread(thread.thread_id)
  dropThread(thread.thread_id)
  await refresh(...SHOWN, '/agents')
}
