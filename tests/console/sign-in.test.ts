import type { Page, Route } from 'playwright-core'
import { createFakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { startFake } from '../support/model-calls.ts'
import { ssoConfig, useIssuer } from '../support/oidc-client.ts'
import { startOidcIssuer } from '../support/oidc-issuer.ts'
import { ADMIN, startServer } from '../support/server.ts'

/** The issuer of this test is on loopback. */
const SSO = { sso: { allow_hosts: ['127.0.0.1'] } }
const PASSWORD = 'correct-horse-9'
/** The password of an account that the testing kit has made. */
const passwordOf = (username: string) => `${username}-password-1`

/** Addresses that a sign-in must not lead to; a browser opens most of them on another host. */
const ELSEWHERE = [
  '//foreign.invalid/a',
  '/\\foreign.invalid/a',
  '\\\\foreign.invalid/a',
  '/\t/foreign.invalid/a',
  '/\n/foreign.invalid/a',
  ' //foreign.invalid/a',
  '/.//foreign.invalid/a',
  '/%2F/foreign.invalid/a',
  '/%5Cforeign.invalid/a',
  'http://foreign.invalid/a',
  'http:foreign.invalid/a',
  'http:/\\foreign.invalid',
  'https://127.0.0.1@foreign.invalid/',
  'javascript:document.title="run"',
  'java\nscript:document.title="run"',
  'data:text/html,x',
  'blob:http://foreign.invalid/a',
  '/api/health/live',
]

t.test('signing in by a browser', { skip: noChromium }, async (t) => {
  const target = { url: '' }
  const url = await serveConsole(t, target)
  const redirect_uris = [`${url}/api/auth/oauth/callback`]
  const [server, issuer, browser] = await Promise.all([
    startServer(t, {
      config: ssoConfig({ http: { public_url: url }, plugins: { auth: { login_max_attempts: 3 }, ...SSO } }),
    }),
    startOidcIssuer({ redirect_uris }),
    startChromium(t),
  ])
  t.teardown(() => issuer.close())
  target.url = server.url

  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' })
  /** Opens a page of somebody who was never here before, but for the scripts in the browser's cache. */
  const open = async (t: Test, path: string): Promise<Page> => {
    const page = await context.newPage()
    t.teardown(() => page.close())
    page.setDefaultTimeout(30_000)
    await context.clearCookies()
    await page.goto(`${url}/api/health/live`)
    await page.evaluate('localStorage.clear()')
    await page.goto(url + path)
    return page
  }
  const fill = async (page: Page, fields: Record<string, string>) => {
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(value)
  }
  const signIn = async (page: Page, username: string, password: string) => {
    await fill(page, { Username: username, Password: password })
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

  await t.test('the page that was asked for opens, and stays after a reload', async (t) => {
    await server.createUser({ username: 'ada' })
    const page = await open(t, '/account')
    await heading(page, 'Sign in to svc')
    await page.getByRole('button', { name: 'Forgot your password?' }).click()
    await page.getByText('Ask your administrator to reset it.').waitFor()
    await signIn(page, 'ada', 'wrong')
    await page.getByRole('alert').getByText('Wrong username or password.').waitFor()
    await signIn(page, 'ada', passwordOf('ada'))
    await heading(page, 'Account')
    await page.reload()
    await heading(page, 'Account')
    t.equal(new URL(page.url()).pathname, '/account')
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    t.notMatch(stored, /eyJ|svc_refresh/, 'no token can be read by scripts')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Sign in to svc')
    await page.reload()
    await heading(page, 'Sign in to svc')
  })

  await t.test('a lock says when it ends', { skip: onlyLong }, async (t) => {
    await server.createUser({ username: 'locked' })
    const page = await open(t, '/login')
    for (let attempt = 0; attempt < 3; attempt++)
      await server.request('POST', '/auth/login', {
        token: null,
        body: { username: 'locked', password: 'wrong' },
      })
    await signIn(page, 'locked', passwordOf('locked'))
    await page.getByText(/This account is locked until \d/).waitFor()
    t.ok(await page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled())
  })

  await t.test('a reason that nobody knows leaves the form as it is', async (t) => {
    const page = await open(t, '/login?oauth_error=constructor')
    await page.getByText('Try again or use another method.', { exact: false }).waitFor()
    await page.getByLabel('Username').waitFor()
  })

  await t.test('language and theme are chosen before signing in, and kept', async (t) => {
    const page = await open(t, '/login')
    await page.getByRole('button', { name: '中文' }).click()
    await heading(page, '登录 svc')
    t.equal(await page.evaluate('document.documentElement.lang'), 'zh')
    await page.getByRole('button', { name: '主题：跟随系统' }).click()
    await page.getByRole('button', { name: '主题：浅色' }).click()
    await page.reload()
    await heading(page, '登录 svc')
    t.equal(await page.evaluate('document.documentElement.dataset.mantineColorScheme'), 'dark')
  })

  await t.test('an invite makes an account and signs it in', async (t) => {
    const invite = await server.request('POST', '/users/invites', { body: { permissions: ['channels'] } })
    const page = await open(t, invite.body.invite_path)
    await heading(page, 'Create your account')
    await fill(page, { Username: 'ada', Name: 'Grace Hopper', Password: PASSWORD })
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('taken').waitFor()
    await fill(page, { Username: 'grace' })
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    t.match((await server.request('GET', '/users/grace')).body, {
      display_name: 'Grace Hopper',
      permissions: ['channels'],
    })
    await page.goto(`${url}${invite.body.invite_path}`)
    await page.getByText('This invite has already been used.').waitFor()
  })

  await t.test('a password that somebody else has set is changed first', async (t) => {
    await server.createUser({ username: 'reset' })
    await server.db
      .collection<{ username: string }>('users')
      .updateOne({ username: 'reset' }, { $set: { must_change_password: true } })
    const page = await open(t, '/account')
    await signIn(page, 'reset', passwordOf('reset'))
    await heading(page, 'Choose a new password')
    await fill(page, { 'Current password': passwordOf('reset'), 'New password': 'another-horse-8' })
    await page.getByRole('button', { name: 'Change password' }).click()
    await heading(page, 'Account')
  })

  await t.test('a session that ends leaves the page as it is', { skip: onlyLong }, async (t) => {
    const { page } = await openConsole(browser, url, {
      path: '/account',
      username: 'ada',
      password: passwordOf('ada'),
    })
    t.teardown(() => page.close())
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
    const token = await server.login('ada', passwordOf('ada'))
    const sessions = await server.request('GET', '/auth/sessions', { token })
    for (const { id, current } of sessions.body)
      if (!current) await server.request('DELETE', `/auth/sessions/${id}`, { token })
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill(passwordOf('ada'))
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    t.equal((await server.request('GET', '/users/ada')).body.display_name, 'Ada Lovelace')
  })

  await t.test('a session that ends while the console loads asks for another sign-in', async (t) => {
    const account = { username: 'ada', password: passwordOf('ada') }
    const { page } = await openConsole(browser, url, { path: '/account', ...account })
    t.teardown(() => page.close())
    const token = await server.login(account.username, account.password)
    const sessions = await server.request('GET', '/auth/sessions', { token })
    const endSession = async (route: Route) => {
      for (const { id, current } of sessions.body)
        if (!current) await server.request('DELETE', `/auth/sessions/${id}`, { token })
      await route.continue()
    }
    await page.route('**/api/auth/me', endSession, { times: 1 })
    await page.reload()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill(account.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await heading(page, 'Account')
  })

  await t.test('another service signs in, is linked and unlinked', { skip: onlyLong }, async (t) => {
    issuer.person = { sub: 'lin', preferred_username: 'lin', name: 'Lin', email: 'lin@example.org' }
    await useIssuer(server, issuer.url, { display_name: 'Example ID' })
    const page = await open(t, '/account')
    const button = page.getByRole('button', { name: 'Sign in with Example ID' })
    await button.click()
    await heading(page, 'Account')
    await page.getByText('Signed in as lin').waitFor()
    t.equal(new URL(page.url()).hash, '', 'the code does not stay in the address')
    await page.reload()
    await page.getByText('Signed in as lin').waitFor()

    issuer.person = null
    const refused = await open(t, '/login')
    await refused.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await refused.getByText('The service denied the sign-in.').waitFor()

    issuer.person = { sub: 'ada', preferred_username: 'ada' }
    const { page: own } = await openConsole(browser, url, {
      path: '/account',
      username: 'ada',
      password: passwordOf('ada'),
    })
    t.teardown(() => own.close())
    const identities = own.getByRole('region', { name: 'Linked accounts' })
    await identities.getByRole('button', { name: 'Link', exact: true }).click()
    await identities.getByRole('button', { name: 'Unlink' }).click()
    await own.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
    await identities.getByText('Not linked').waitFor()

    issuer.person = { sub: 'lin' }
    await own.context().clearCookies({ name: /^_/ })
    await identities.getByRole('button', { name: 'Link', exact: true }).click()
    await own.getByText('This identity is already linked to another account.').waitFor()
  })

  await t.test('a sign-in leads to a page of the console, whatever its address says', async (t) => {
    issuer.person = { sub: 'lin', preferred_username: 'lin' }
    await useIssuer(server, issuer.url, { display_name: 'Example ID' })
    const page = await open(t, '/login')
    const left: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest() && !request.url().startsWith(url)) left.push(request.url())
    })
    const complete = async (data: Record<string, string>) => {
      await page.goto('about:blank')
      await page.goto(`${url}/login/oauth/complete#${new URLSearchParams(data)}`)
    }
    for (const redirect of ELSEWHERE) {
      await complete({ bound: 'oidc', redirect })
      await page.waitForURL(`${url}/`)
      await heading(page, 'Sign in to svc')
    }
    await complete({ bound: 'oidc', redirect: '/account?tab=x' })
    await page.waitForURL(`${url}/account?tab=x`)
    await complete({ redirect: '/account' })
    await page.waitForURL(`${url}/`)

    const lead = await open(t, '/login')
    await lead.addInitScript(`if (location.pathname === '/login/oauth/complete') {
      const data = new URLSearchParams(location.hash.slice(1))
      data.set('redirect', '//foreign.invalid/a')
      history.replaceState(null, '', location.pathname + '#' + data)
    }`)
    await lead.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await lead.getByRole('navigation', { name: 'Pages' }).waitFor()
    t.equal(lead.url(), `${url}/`)
    t.strictSame(left, [])
  })

  await t.test('the first administrator is led through a fresh server', async (t) => {
    const accounts = ['ada', 'locked', 'grace', 'reset', 'lin']
    for (const username of accounts) await server.request('DELETE', `/users/${username}`)
    const page = await open(t, '/')
    await signIn(page, ADMIN.username, ADMIN.password)
    await heading(page, 'Welcome')
    t.equal(await page.getByLabel('Current password').count(), 0, 'it was typed a moment ago')
    const password = page.getByLabel('New password')
    await password.fill('short1')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Use at least 8 characters.').waitFor()
    await password.fill('Kx7-quiet-lantern-93')
    await page.getByRole('button', { name: 'Change password' }).click()

    await page.getByRole('button', { name: 'Connect a model' }).click()
    const fake = await startFake(t, createFakeOpenAI({ models: ['text-embedding-3-small', 'gpt-4o'] }))
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'OpenAI-compatible' }).click()
    await sheet.getByLabel('URL').fill(fake.url)
    await sheet.getByRole('textbox', { name: 'Name', exact: true }).fill('mine')
    await sheet.getByRole('button', { name: 'Add', exact: true }).last().click()
    await sheet.waitFor({ state: 'detached' })
    await eventually('the chosen model', async () =>
      /4o/i.test(await page.getByRole('combobox', { name: 'Default model' }).inputValue()),
    )
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    const rights = page.getByRole('group', { name: 'Everyone may also use' })
    t.notOk(
      await rights.getByRole('checkbox', { name: 'Run programs' }).count(),
      'nothing that runs programs',
    )
    t.ok(await rights.getByRole('checkbox', { name: 'Knowledge bases' }).isChecked())
    await rights.getByRole('checkbox', { name: 'Channels' }).check()
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByRole('textbox', { name: 'First message' }).waitFor()
    const login = await server.request('POST', '/auth/login', {
      token: null,
      body: { username: ADMIN.username, password: 'Kx7-quiet-lantern-93' },
    })
    const { access_token: token } = login.body
    const everyone = await server.request('GET', '/groups/everyone', { token })
    t.strictSame(everyone.body.permissions.toSorted(), ['channels', 'connectors', 'knowledge_bases'])
    const message = page.getByRole('textbox', { name: 'First message' })
    t.match(await message.inputValue(), /^Hello!/)
    await message.fill('Hello! Who are you?')
    await page.getByRole('button', { name: 'Say hello' }).click()
    const composer = page.getByRole('textbox', { name: /^Message/ })
    await composer.waitFor()
    await eventually(
      'a greeting to send',
      async () => (await composer.inputValue()) === 'Hello! Who are you?',
    )
    const steps = page.getByRole('region', { name: 'Next steps' })
    await steps.getByRole('link', { name: 'Invite people' }).click()
    await heading(page, 'Invites')
    await steps.getByRole('button', { name: 'Hide next steps' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.goto(url)
    await composer.waitFor()
  })
})
