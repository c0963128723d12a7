import type { Method, RouteSpec } from '../../kernel/contract/route.ts'
import { kernelRoutes } from '../../kernel/http/health.ts'
import type { Test } from '../run/file-test.ts'
import { isLong, roundRobin } from '../run/tier.ts'
import { type Answer, type RouteSample, sampleRoute } from './route-access.ts'
import { createBody, inventBody } from './route-bodies.ts'
import type { Account, Cast } from './route-cast.ts'
import { createWorld } from './route-world.ts'
import { connectSocket } from './socket.ts'

/** A route or a socket of the server. */
export interface ServedRoute extends Partial<Omit<RouteSpec, 'method' | 'path'>> {
  /** `METHOD /path`. */
  name: string
  method: Method | 'SOCKET'
  path: string
}

/** A way to call a route. */
export interface SampledCall {
  route: ServedRoute
  sample: RouteSample
  caller: Account
  /** The class of the object in the path. */
  object?: string
}

/** A call that was answered. */
export interface AnsweredCall {
  request_id: string
  ip: string
  params: Record<string, string>
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape of the body
  body: any
  answer: Answer
}

/** Lists the routes and sockets below /api, in the order of their declaration. */
export function listRoutes({ server }: Cast): ServedRoute[] {
  const { plugins } = server.server.runtime
  const routes = [...kernelRoutes, ...plugins.flatMap(({ declarations }) => declarations.routes)]
  const sockets = plugins.flatMap(({ declarations }) => declarations.sockets)
  return [
    ...routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` })),
    ...sockets.map(({ path, guard, scope }) => ({
      ...{ name: `SOCKET ${path}`, method: 'SOCKET' as const, path, guard },
      ...(scope !== undefined && { scope }),
    })),
  ]
}

/** Returns a function that lists the ways to call a route. */
export function createSampler({ server }: Cast, routes: readonly ServedRoute[]) {
  const { blueprint, plugins } = server.server.runtime
  const guards = new Map(plugins.flatMap(({ declarations }) => [...declarations.guards]))
  return (route: ServedRoute): RouteSample[] =>
    sampleRoute(route, { guards, errors: blueprint.errors, routes })
}

/**
 * Lists the callers of a route that admits `who`: nobody, a user, a holder of its permission, an administrator, and
 * holders of other permissions. In `npm test`, where the administrator is not the only one with access, one route of four
 * is called by the administrator and another one by one holder of another permission, in turns.
 */
export function callersOf(
  { anonymous, plain, holders, administrator }: Cast,
  who: string,
  index: number,
): Account[] {
  const others = holders.filter(({ permissions }) => !permissions.includes(who))
  const own = holders.filter((holder) => !others.includes(holder))
  const first = [anonymous, plain, ...own]
  if (isLong || who === 'admin') return [...first, ...roundRobin(others, index), administrator]
  const turn = Math.floor(index / 4)
  return [...first, ...([[administrator], roundRobin(others, turn)][index % 4] ?? [])]
}

/** Creates the caller of routes; each call has its own address and request id. */
export function createCalls(t: Test, cast: Cast) {
  const { server } = cast
  const world = createWorld(cast, listRoutes(cast))
  const paramsOf = ({ route, sample, object, caller }: SampledCall) =>
    world.params(route.path, sample, object, caller)
  let calls = 0

  const open = async (path: string, { token }: Account, headers: Record<string, string>) => {
    const url = `${server.url.replace('http', 'ws')}/api${path}${token ? `?token=${token}` : ''}`
    try {
      const socket = await connectSocket(t, url, [], headers)
      socket.close()
      await socket.closed
      return { status: 101, body: undefined }
    } catch (error) {
      const { status, body } = error as { status?: number; body: unknown }
      if (status === undefined) throw error
      return { status, body }
    }
  }

  /** Calls a route whose answer never ends, and closes it as soon as it begins. */
  const begin = async (path: string, { token }: Account, headers: Record<string, string>) => {
    const leaving = new AbortController()
    const reply = await fetch(`${server.url}/api${path}`, {
      headers: { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
      signal: leaving.signal,
    })
    const body = reply.ok ? undefined : await reply.json()
    leaving.abort()
    return { status: reply.status, body }
  }

  return {
    secret: world.secret,
    recipientOf: world.recipientOf,

    /** Returns a body for this call that is accepted or refused; undefined if the route takes none. */
    async bodyOf(call: SampledCall, kind: 'accepted' | 'refused' = 'accepted') {
      const make = world.createMake(call.caller, () => paramsOf(call))
      const invent = () => call.sample.refused?.body?.(make) ?? inventBody(call.route, make)
      const body = kind === 'refused' ? invent() : await createBody(call.route, make)
      return body as Record<string, unknown> | undefined
    },

    /** Returns the caller; a new account of the same class if the call uses its caller up. */
    standIn: ({ sample: { on, spends }, caller, object }: SampledCall): Promise<Account> | Account => {
      const isSpent = spends === 'caller' || (spends && on?.kind === '/users/:id' && object === 'own')
      return isSpent && caller.role !== null ? cast.createAccount({ ...caller, role: caller.role }) : caller
    },

    /** Returns the parameters of the path of a call. */
    paramsOf,

    /** Sends a call. */
    async send(call: SampledCall, body?: object): Promise<AnsweredCall> {
      return this.sendTo(call, await paramsOf(call), body)
    },

    /** Sends a call with these parameters of its path. */
    async sendTo(
      { route, sample, caller }: SampledCall,
      params: Record<string, string>,
      body?: object,
    ): Promise<AnsweredCall> {
      const path =
        route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name]!)) + sample.query
      calls += 1
      const request_id = `call-${calls}`
      const ip = `10.1.${calls >> 8}.${calls & 255}`
      const headers = { 'x-request-id': request_id, 'x-forwarded-for': ip }
      const { method } = route
      const reply =
        method === 'SOCKET'
          ? await open(path, caller, headers)
          : route.stream === 'events' && method === 'GET'
            ? await begin(path, caller, headers)
            : await server.request(method, path, { token: caller.token, body, headers })
      const code = (reply.body as { error?: { code: string } } | undefined)?.error?.code ?? ''
      const answer = reply.status === sample.status ? 'ok' : (`${reply.status} ${code}` as const)
      return { request_id, ip, params, status: reply.status, body: reply.body, answer }
    },
  }
}
