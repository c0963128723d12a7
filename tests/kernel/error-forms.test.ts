import t from '../run/file-test.ts'
import { createHome, pluginSource, runCommand, startKernel } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'

const door = pluginSource(
  'door',
  `
  const path = (name, more) => ({ method: 'GET', path: name, summary: 's', guard: 'public', response: { 200: {} }, ...more })
  host.extend('kernel.error_forms', {
    path: '/door',
    name: 'Door',
    fields: { sort: { type: 'string' } },
    describe: ({ code, status }) => ({ sort: code + ' ' + status }),
    refuse: ({ method, path, status }) => path === '/door/bell' ? host.error('FORBIDDEN', { method, status }) : undefined,
  })
  host.routes([
    path('/door', { handler() { throw new Error('it is stuck') } }),
    path('/door/steps', { stream: 'events', async *handler() { throw host.error('FORBIDDEN') }, events: {} }),
    path('/doors', { handler() { throw host.error('FORBIDDEN') } }),
  ])`,
)

t.test('errors below the path of a form have its fields', async (t) => {
  const server = await startKernel(t, { plugins: { door } })
  const { request } = server
  t.match(await request('GET', '/door'), { status: 500, body: { error: { sort: 'INTERNAL_ERROR 500' } } })
  t.match(await request('GET', '/door/mat'), { status: 404, body: { error: { sort: 'NOT_FOUND 404' } } })
  t.match(await request('POST', '/door/steps', { body: {} }), {
    status: 405,
    body: { error: { sort: 'METHOD_NOT_ALLOWED 405' } },
  })
  t.match(await request('GET', '/door/bell'), {
    status: 403,
    body: { error: { sort: 'FORBIDDEN 403', details: { method: 'GET', status: 404 } } },
  })
  const response = await fetch(`${server.url}/api/door/steps`)
  t.match(await response.text(), /"sort":"FORBIDDEN 403"/)
  for (const path of ['/doors', '/window'])
    t.notOk('sort' in (await request('GET', path)).body.error, `${path} is beside it`)

  const { body: document } = await request('GET', '/openapi.json')
  const { schemas, responses } = document.components
  t.match(schemas.DoorError.properties.error, { required: /sort/, properties: { sort: { type: 'string' } } })
  t.match(document.paths['/door'].get.responses.default, { $ref: '#/components/responses/DoorError' })
  t.match(responses.DoorError.content['application/json'].examples.INTERNAL_ERROR.value.error, {
    sort: 'INTERNAL_ERROR 500',
  })
  t.match(JSON.stringify(document.paths['/door/steps'].get.responses[200]), /schemas\/DoorError/)
  t.match(document.paths['/doors'].get.responses.default, { $ref: '#/components/responses/Error' })
})

t.test('a form of another form is refused', async (t) => {
  const home = createHome(t)
  installPlugin(home, 'gate', pluginSource('gate', "host.extend('kernel.error_forms', { path: 'gate' })"))
  const { stdout } = await runCommand(home, ['plugins'])
  t.match(stdout, /gate.*form of errors.* is not valid: .*\/name is missing/)
})
