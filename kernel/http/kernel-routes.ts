import { describeAsyncApi } from '../api-document/asyncapi.ts'
import { describeApi } from '../api-document/openapi.ts'
import { defineRoute, type Route } from '../contract/route.ts'
import type { Blueprint } from '../loading/blueprint.ts'
import type { Runtime } from '../server/runtime.ts'
import { healthRoutes } from './health.ts'

/** The beginning of both documents. */
const EXAMPLE = { info: { title: 'Agent Platform Service', version: '1.0.0' } }

/** The routes that the kernel itself serves. Without a runtime they can be described but not called. */
export function kernelRoutes(blueprint: Blueprint, runtime?: Runtime): Route[] {
  let document: Record<string, unknown> | undefined
  let asyncDocument: Record<string, unknown> | undefined
  const openapi = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    operation_id: 'getOpenApiDocument',
    summary: 'Get this API as OpenAPI 3.1',
    description:
      'Describes the routes of the plugins that run on this server, those from outside included. It is the document that `svc openapi` prints, and clients can be generated from it.',
    guard: 'public',
    response: { 200: { type: 'object', examples: [{ openapi: '3.1.0', ...EXAMPLE, paths: {} }] } },
  }).handle(() => {
    document ??= describeApi({ ...blueprint, plugins: runtime!.plugins }, routes)
    return document
  })
  const asyncapi = defineRoute({
    method: 'GET',
    path: '/asyncapi.json',
    operation_id: 'getAsyncApiDocument',
    summary: 'Get the sockets and event streams of this API as AsyncAPI 3.0',
    description:
      'Describes the frames of both directions, their order, and the codes with which sockets are closed. It is the document that `svc asyncapi` prints.',
    guard: 'public',
    response: { 200: { type: 'object', examples: [{ asyncapi: '3.0.0', ...EXAMPLE, channels: {} }] } },
  }).handle(() => {
    asyncDocument ??= describeAsyncApi({ ...blueprint, plugins: runtime!.plugins })
    return asyncDocument
  })
  const routes: Route[] = [...healthRoutes(runtime!), openapi, asyncapi]
  return routes
}
