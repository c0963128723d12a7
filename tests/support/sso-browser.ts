import { SSO_PUBLIC_URL } from './oidc-client.ts'
import type { TestReply, TestServer } from './server.ts'

/** The body of a start, and the entry point. */
export interface Start {
  entry?: 'oauth' | 'oidc'
  kind?: string
  redirect_after?: string
  /** The token of a user who links an identity. */
  token?: string
}

/** A browser that keeps cookies and follows redirects, but opens no page of the console. */
export type Browser = ReturnType<typeof createBrowser>

const MAX_REDIRECTS = 12

/** Creates a browser that reaches the server under test at its public address. */
export function createBrowser(server: TestServer) {
  let cookies: { origin: string; name: string; value: string; path: string }[] = []

  const cookiesFor = ({ origin, pathname }: URL) =>
    cookies
      .filter((cookie) => cookie.origin === origin && pathname.startsWith(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')

  const keep = ({ origin }: URL, headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */)
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      const path = /^path=(.*)$/i.exec(attributes.find((text) => /^path=/i.test(text)) ?? '')?.[1] ?? '/'
      cookies = cookies.filter(
        (cookie) => cookie.origin !== origin || cookie.name !== name || cookie.path !== path,
      )
      const isGone = attributes.some((text) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(text))
      if (!isGone) cookies.push({ origin, name, value, path })
    }
  }

  /** Opens an address without following redirects. */
  const open = async (address: string): Promise<Response> => {
    const url = new URL(address)
    const real = url.origin === SSO_PUBLIC_URL ? server.url + url.pathname + url.search : address
    const response = await fetch(real, { redirect: 'manual', headers: { cookie: cookiesFor(url) } })
    keep(url, response.headers)
    return response
  }

  /** Follows redirects until an address starts with this one. */
  const followTo = async (address: string, end: string): Promise<string> => {
    let at = address
    for (let step = 0; step < MAX_REDIRECTS; step++) {
      const response = await open(at)
      const location = response.headers.get('location')
      if (!location) throw new Error(`${at} answered ${response.status} ${await response.text()}`)
      at = new URL(location, at).href
      if (at.startsWith(end)) return at
    }
    throw new Error(`it goes on and on: ${at}`)
  }

  const browser = {
    cookies: () => cookies.filter(({ origin }) => origin === SSO_PUBLIC_URL),
    dropCookies: () => {
      cookies = []
    },
    open,

    /** Asks the server for an authorization request. */
    async start({ entry = 'oauth', kind = 'oidc', token, ...body }: Start = {}): Promise<TestReply> {
      const path = `/auth/${entry}${token ? '/bind' : ''}/start`
      const named = entry === 'oauth' ? { kind, ...body } : body
      const reply = await server.request('POST', path, { token: token ?? null, body: named })
      keep(new URL(SSO_PUBLIC_URL), reply.headers)
      return reply
    },

    /** Signs in at the service; returns the address of the callback, which is not opened yet. */
    async authorize(start: Start = {}): Promise<string> {
      const { status, body } = await browser.start(start)
      if (status !== 200) throw new Error(`the start answered ${status} ${JSON.stringify(body)}`)
      return followTo(body.authorization_url, SSO_PUBLIC_URL)
    },

    /** Opens the callback; returns the page of the console that it redirects to. */
    async comeBack(callback: string): Promise<URL> {
      const response = await open(callback)
      if (response.status !== 302) throw new Error(`the callback answered ${response.status}`)
      return new URL(response.headers.get('location')!)
    },

    /** Signs in up to the page of the console. */
    arrive: async (start: Start = {}): Promise<URL> => browser.comeBack(await browser.authorize(start)),

    /** Exchanges the code that a page of the console received. */
    exchange: (page: URL, entry: 'oauth' | 'oidc' = 'oauth'): Promise<TestReply> =>
      server.request('POST', `/auth/${entry}/exchange`, { token: null, body: { code: toldBy(page).code } }),

    /** Signs in completely, as a person does; returns the reply to the login. */
    async signIn(start: Start = {}): Promise<TestReply['body']> {
      const page = await browser.arrive(start)
      const { status, body } = await browser.exchange(page, start.entry)
      if (status !== 200) throw new Error(`${page} and then ${status} ${JSON.stringify(body)}`)
      return body
    },
  }
  return browser
}

/** Reads the parameters that a page of the console receives in the fragment. */
export const toldBy = ({ hash }: URL): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(hash.slice(1)))

/** Reads the error of a failed sign-in. */
export const reasonIn = ({ searchParams }: URL, entry = 'oauth'): string | null =>
  searchParams.get(`${entry}_error`)
