import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestReply, TestServer } from '../../support/server.ts'

/** Contents by path. */
type Files = Record<string, string | Buffer>

/** The text of a SKILL.md. */
export const skillText = (description: string, body = 'Do it well.') =>
  `---\nname: A skill\ndescription: ${description}\n---\n\n${body}\n`

/** The status and the code of a refusal. */
export const refusal = ({ status, body }: TestReply) => [status, body?.error?.code]

/** Writes files below a folder. */
function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Reads every file below a folder, by its path; returns {} if the folder does not exist. */
function readFiles(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
}

/** Lists the names of all entries of a folder, including temporary ones. */
export const listAll = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : []

/** The calls of the API of skills. */
export function createSkillCalls(server: TestServer) {
  const { home, request } = server
  let made = 0

  const skillsOf = (agent_id: string) => join(home, 'agents', agent_id, 'skills')
  const packageOf = (package_id: string) => join(home, 'skill-packages', package_id)

  return {
    skillsOf,
    packageOf,

    async createAgent(token?: string): Promise<string> {
      made += 1
      const { body } = await request('POST', '/agents', { token, body: { name: `agent-${made}` } })
      return body.id
    },

    async createPackage(token?: string): Promise<string> {
      made += 1
      const { body } = await request('POST', '/skill-packages', { token, body: { name: `Package ${made}` } })
      return body.id
    },

    /** Puts a skill into a workspace as a model would. */
    writeSkill: (agent_id: string, slug: string, files: Files) =>
      writeFiles(join(skillsOf(agent_id), slug), files),

    /** Reads the files of a workspace's skill. */
    readSkill: (agent_id: string, slug: string) => readFiles(join(skillsOf(agent_id), slug)),
    readPacked: (package_id: string, slug: string) => readFiles(join(packageOf(package_id), 'skills', slug)),

    /** Adds a skill to a package as JSON. */
    add: (
      package_id: string,
      slug: string,
      files: Record<string, string>,
      more: object = {},
      token?: string,
    ) =>
      request('POST', `/skill-packages/${package_id}/skills`, {
        token,
        body: {
          slug,
          files: Object.entries(files).map(([path, content]) => ({ path, content })),
          ...more,
        },
      }),

    /** Writes a skill of a workspace or of a package, the last part of a path such as `agents/1`, with these files. */
    write: (owner: string, slug: string, files: object[], token?: string) =>
      request('PUT', `/${owner}/skills/${slug}`, { token, body: { files } }),

    /** Uploads an archive to a package. */
    async upload(
      package_id: string,
      zip: Buffer,
      { filename = 'skill.zip', query = '', token = server.admin.token } = {},
    ): Promise<TestReply> {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(zip)], { type: 'application/zip' }), filename)
      const response = await fetch(`${server.url}/api/skill-packages/${package_id}/skills${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      })
      return { status: response.status, body: await response.json(), headers: response.headers }
    },

    copy: (agent_id: string, package_id: string, skill_slugs: string[], more: object = {}, token?: string) =>
      request('POST', `/agents/${agent_id}/skill-packages/${package_id}/copy`, {
        token,
        body: { skill_slugs, ...more },
      }),

    push: (agent_id: string, slug: string, package_id: string, more: object = {}, token?: string) =>
      request('POST', `/agents/${agent_id}/skills/${slug}/push-to-package`, {
        token,
        body: { package_id, ...more },
      }),

    slugsIn: async (package_id: string): Promise<string[]> => {
      const { body } = await request('GET', `/skill-packages/${package_id}`)
      return body.skills.map(({ slug }: { slug: string }) => slug)
    },
  }
}
