import type { TestServer } from './server.ts'
import { PUBLIC_URL } from './sign-in-vendors.ts'

/** A browser at the server: it keeps cookies, and knows the server by its public address. */
export function createBrowser(server: TestServer) {
  const cookies = new Map<string, string>()

  const visit = async (url: URL) => {
    const local = url.origin === PUBLIC_URL ? new URL(url.pathname + url.search, server.url) : url
    const sent = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const isOurs = local !== url
    const response = await fetch(local, {
      redirect: 'manual',
      headers: isOurs && sent ? { cookie: sent } : {},
    })
    if (isOurs) keep(response.headers)
    return response
  }

  const keep = (headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/max-age=0/i.test(line)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
  }

  return {
    cookies,

    /** Begins a sign-in, or with a token a binding. */
    async start(kind: string, token: string | null = null, body: object = {}): Promise<URL> {
      const path = token ? '/auth/oauth/bind/start' : '/auth/oauth/start'
      const answer = await server.request('POST', path, { token, body: { kind, ...body } })
      if (answer.status !== 200)
        throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
      keep(answer.headers)
      return new URL(answer.body.authorization_url)
    },

    /** Goes where the address leads until that is no longer a redirect of the platform or the server. */
    async follow(url: URL): Promise<URL> {
      let at = url
      for (let step = 0; step < 5 && !at.pathname.startsWith('/login'); step += 1) {
        const response = await visit(at)
        const location = response.headers.get('location')
        if (!location) throw new Error(`${at.pathname} answered ${response.status} ${await response.text()}`)
        at = new URL(location, at)
      }
      return at
    },

    /** The one step from a platform's page. */
    async leavePage(page: URL): Promise<URL> {
      return new URL((await visit(page)).headers.get('location')!)
    },
  }
}

/** What the console is told behind the `#`, or why nobody was signed in. */
export const toldOf = ({ hash, searchParams }: URL) =>
  Object.fromEntries(hash ? new URLSearchParams(hash.slice(1)) : searchParams)
