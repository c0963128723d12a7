import { eventually } from '../../../plugin-api/testing/waiting.ts'
import type { TestReply, TestServer } from '../../support/server.ts'

/** A file to upload. */
export type TestFile = [filename: string, content: string | Buffer, media_type?: string]

/** Creates the calls of a server in a process of its own, by its address. */
export const callsTo = (url: string, token: string): Pick<TestServer, 'url' | 'request'> => ({
  url,
  async request(method, path, { body, token: caller = token } = {}) {
    const headers = {
      authorization: `Bearer ${caller}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  },
})

/** Creates the calls of knowledge bases for tests. */
export function createKnowledgeCalls(server: Pick<TestServer, 'url' | 'admin' | 'request'>) {
  const request = (method: string, path: string, body?: object, token?: string) =>
    server.request(method, `/knowledge-bases${path}`, { body, token })

  const upload = async (
    base_id: string,
    files: TestFile[],
    { path, token = server.admin.token }: { path?: string; token?: string } = {},
  ): Promise<Pick<TestReply, 'status' | 'body'>> => {
    const form = new FormData()
    if (path !== undefined) form.append('path', path)
    for (const [name, content, type = ''] of files)
      form.append('file', new Blob([content as string], { type }), name)
    const response = await fetch(`${server.url}/api/knowledge-bases/${base_id}/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    })
    return { status: response.status, body: await response.json() }
  }

  const list = async (base_id: string, token?: string): Promise<TestReply['body'][]> =>
    (await request('GET', `/${base_id}/documents?limit=200`, undefined, token)).body

  return {
    request,
    upload,
    list,

    /** Creates a base and returns its id. */
    async create(name: string, { token, ...settings }: { token?: string; [field: string]: unknown } = {}) {
      const { status, body } = await request('POST', '', { name, ...settings }, token)
      if (status !== 201) throw new Error(`the base was answered ${status} ${JSON.stringify(body)}`)
      return body.id as string
    },

    /** Waits until no document of a base is waiting or worked on; returns them by their paths. */
    settled: (base_id: string, token?: string): Promise<Record<string, TestReply['body']>> =>
      eventually('the end of the work on documents', async () => {
        const documents = await list(base_id, token)
        const isOver = documents.every(({ status }) => status === 'ready' || status === 'failed')
        return isOver && Object.fromEntries(documents.map((document) => [document.path, document]))
      }),

    /** Returns the passages that are found. */
    async search(query: string, more: { token?: string; [field: string]: unknown } = {}) {
      const { token, ...fields } = more
      const { status, body } = await request('POST', '/search', { query, ...fields }, token)
      if (status !== 200) throw new Error(`the search was answered ${status} ${JSON.stringify(body)}`)
      return body as TestReply['body'][]
    },
  }
}
