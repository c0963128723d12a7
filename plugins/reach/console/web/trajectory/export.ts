import { renewToken } from '../session/token.ts'
import type { ThreadPath } from './use-events.ts'

/** Downloads all events of a thread as a file. */
export async function exportEvents({ id, thread_id }: ThreadPath, format: 'jsonl' | 'json'): Promise<void> {
  const path = `/api/agents/${encodeURIComponent(id)}/threads/${encodeURIComponent(thread_id)}/trajectory/export`
  const headers = { authorization: `Bearer ${await renewToken()}` }
  const response = await fetch(`${path}?format=${format}`, { headers })
  if (!response.ok) throw await response.json()
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = `${thread_id}.${format}`
  link.click()
  URL.revokeObjectURL(address)
}
