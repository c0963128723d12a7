import t from '../../run/file-test.ts'
import { COMPANY } from '../../support/fake-sign-in-dingtalk.ts'
import { SSO_PUBLIC_URL } from '../../support/oidc-client.ts'
import { benchOf, challenge, comeBack, never } from '../../support/sign-in-bench.ts'
import { startVendors } from '../../support/sign-in-vendors.ts'

const { feishu, dingtalk, wecom } = await startVendors(t)

t.test('Feishu’s rules', async (t) => {
  const { made, settings, signIn, fails } = benchOf(feishu)
  t.afterEach(() => feishu.fake.heal())
  const person = feishu.person('sun')

  await t.test('the code verifier and the redirect URI are those of the authorization request', async (t) => {
    const other = { ...challenge, code_verifier: 'w'.repeat(43) }
    let back = await comeBack(feishu, made, settings, person)
    await fails(t, made.identify(settings, other, back, never), 'exchange', /20049/)
    back = await comeBack(feishu, made, settings, person)
    const elsewhere = { ...challenge, redirect_uri: `${SSO_PUBLIC_URL}/elsewhere` }
    await fails(t, made.identify(settings, elsewhere, back, never), 'misconfigured', /20071/)
  })

  await t.test('scopes are requested if there are any', async (t) => {
    const page = await made.authorize(
      { ...settings, scopes: 'contact:user.email:readonly' },
      challenge,
      never,
    )
    t.equal(page.searchParams.get('scope'), 'contact:user.email:readonly')
    t.equal((await made.authorize(settings, challenge, never)).searchParams.has('scope'), false)
  })

  for (const [call, body, reason] of [
    ['oauth/token', { code: 20010, error: 'invalid_grant' }, 'denied'],
    ['oauth/token', { code: 20066, error: 'invalid_grant' }, 'denied'],
    ['oauth/token', { code: 20069, error: 'invalid_grant' }, 'misconfigured'],
    ['oauth/token', { error: 'invalid_client' }, 'misconfigured'],
    ['oauth/token', { error: 'access_denied' }, 'denied'],
    ['oauth/token', { error: 'invalid_grant' }, 'exchange'],
    ['oauth/token', { code: 0, error: 'invalid_grant', access_token: 'x' }, 'exchange'],
    ['oauth/token', { code: 'zero', access_token: 'x' }, 'exchange'],
    ['oauth/token', { code: '', access_token: 'x' }, 'exchange'],
    ['oauth/token', { code: ' ', access_token: 'x' }, 'exchange'],
    ['oauth/token', { code: null, access_token: 'x' }, 'exchange'],
    ['oauth/token', { access_token: 'x' }, 'exchange'],
    ['user_info', { code: 20005 }, 'invalid_token'],
    ['user_info', { code: 20021 }, 'denied'],
    ['user_info', { code: 1, data: person }, 'exchange'],
    ['user_info', { data: person }, 'exchange'],
  ] as const)
    await t.test(`${call} with ${JSON.stringify(body).slice(0, 60)}`, async (t) => {
      feishu.fake.break(call, { body })
      await fails(t, signIn(person), reason, /Feishu refuses/)
    })

  await t.test('an error code that is sent as a text is read', async (t) => {
    feishu.fake.break('user_info', { body: { code: '0', data: person } })
    t.match(await signIn(person), { subject: 'on_sun' })
  })

  await t.test('the identity of a person depends on the tenant and not on the app', async (t) => {
    const { issuer } = await signIn(person)
    t.equal(issuer, `${feishu.fake.url}/736588c9260f175d`)
    t.not((await signIn({ ...person, tenant_key: 'other' })).issuer, issuer)
    t.equal((await signIn({ ...person, open_id: 'ou_other' })).issuer, issuer)
  })

  await t.test('the username is an English name if there is no address', async (t) => {
    const { enterprise_email: _, ...poor } = person
    t.match(await signIn(poor), { usernames: ['sun'], email: null })
    t.match(await signIn(person), { username: null })
    t.match(await signIn({ ...person, enterprise_email: 'no address' }), { email: null })
    t.match(await signIn({ ...person, enterprise_email: '', email: 'sun@home.example' }), {
      email: 'sun@home.example',
    })
  })
})

t.test('DingTalk’s rules', async (t) => {
  const { made, settings, signIn, fails } = benchOf(dingtalk)
  t.afterEach(() => dingtalk.fake.heal())
  const person = dingtalk.person('sun')

  await t.test('only members of a company of the app can sign in', async (t) => {
    const identity = await signIn(person)
    t.equal(identity.issuer, dingtalk.fake.url)
    t.match(identity.claims, { corpId: COMPANY })
    await fails(t, signIn({ ...person, corp: 'dingStranger' }), 'denied', /company/)
    for (const corp of ['..', 'a/b', '', 7, ['ding']])
      await fails(t, signIn({ ...person, corp }), 'exchange', /corpId/)
  })

  await t.test('a browser cannot sign in with fewer scopes than the settings have', async (t) => {
    dingtalk.fake.state.visitor = { ...person, corp: 'dingStranger' }
    const page = await made.authorize(settings, challenge, never)
    page.searchParams.set('scope', 'openid')
    const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!
    await fails(t, made.identify(settings, challenge, new URL(back), never), 'exchange', /corpId/)
  })

  await t.test('everybody can sign in if no company is required', async (t) => {
    const open = { scopes: 'openid' }
    t.match(await signIn({ ...person, corp: 'dingStranger' }, open), { subject: dingtalk.subject(person) })
    t.notOk('corpId' in (await signIn(person, open)).claims)
    t.equal(
      (await made.authorize({ ...settings, scopes: '' }, challenge, never)).searchParams.get('scope'),
      'openid',
    )
  })

  await t.test('a code is also accepted under its newer name', async (t) => {
    const back = await comeBack(dingtalk, made, settings, person)
    back.searchParams.set('code', back.searchParams.get('authCode')!)
    const copy = new URL(back)
    copy.searchParams.delete('authCode')
    t.match(await made.identify(settings, challenge, copy, never), { subject: dingtalk.subject(person) })
    await fails(t, made.identify(settings, challenge, back, never), 'exchange', /authCode.notFound/)
  })

  for (const [call, status, code, reason] of [
    ['users/me', 403, 'Forbidden.AccessDenied.AccessTokenPermissionDenied', 'misconfigured'],
    ['users/me', 400, 'InvalidAuthentication', 'invalid_token'],
    ['users/me', 200, 'unknownError', 'exchange'],
    ['users/me', 400, 7, 'exchange'],
    ['/token', 403, 'Forbidden.AccessDenied.QpsLimitForApi', 'exchange'],
    ['/token', 403, 'Forbidden.AccessDenied.AccessTokenPermissionDenied', 'misconfigured'],
    ['/token', 429, 'whatever', 'exchange'],
    ['/token', 400, 'whatever', 'denied'],
    ['userAccessToken', 403, 'Forbidden.AccessDenied.QpsLimitForApi', 'exchange'],
    ['userAccessToken', 403, `<${'x'.repeat(200)}>`, 'exchange'],
  ] as const)
    await t.test(`${call} with ${status} ${String(code).slice(0, 60)}`, async (t) => {
      dingtalk.fake.break(call, { status, body: { ...person, code, message: 'no' } })
      await fails(t, signIn(person), reason, /DingTalk refuses/)
    })

  await t.test('the username is a nickname if there is no address', async (t) => {
    t.match(await signIn({ ...person, email: '' }), { usernames: ['sun 张'], email: null })
    t.match(await signIn(person), { username: null })
  })
})

t.test('WeCom’s rules', async (t) => {
  const { make, made, settings, signIn, fails } = benchOf(wecom)
  t.afterEach(() => wecom.fake.heal())
  const person = wecom.person('SunWu')
  const tokensAskedFor = () => wecom.fake.seen.filter(({ call }) => call.endsWith('gettoken')).length

  await t.test('a token is used for many sign-ins, until it is refused or the settings change', async (t) => {
    const kind = make()
    const tokenCount = tokensAskedFor()
    await signIn(person, {}, kind)
    await signIn(person, {}, kind)
    t.equal(tokensAskedFor() - tokenCount, 1)
    wecom.fake.revokeTokens()
    t.match(await signIn(person, {}, kind), { subject: 'sunwu' }, 'a refused token is replaced')
    t.equal(tokensAskedFor() - tokenCount, 2)
    await signIn(person, {}, kind)
    t.equal(tokensAskedFor() - tokenCount, 2)
    await fails(t, signIn(person, { client_secret: 'wrong' }, kind), 'misconfigured', /40001/)
    const back = await comeBack(wecom, kind, settings, person)
    const other = { ...settings, client_id: 'wrong' }
    await fails(t, kind.identify(other, challenge, back, never), 'misconfigured', /40013/)
    await signIn(person, {}, kind)
    t.equal(tokensAskedFor() - tokenCount, 4)
  })

  await t.test('a refused token is replaced once before the sign-in fails', async (t) => {
    const tokenCount = tokensAskedFor()
    wecom.fake.break('getuserinfo', { body: { errcode: 42001, errmsg: 'expired' } })
    await fails(t, signIn(person), 'invalid_token', /42001/)
    t.equal(tokensAskedFor() - tokenCount, 2)
  })

  await t.test('a token without an expiry is used once', async (t) => {
    const kind = make()
    const tokenCount = tokensAskedFor()
    for (const expires_in of [60, undefined, 'soon', -7]) {
      wecom.fake.break('gettoken', { body: { errcode: 0, access_token: 'unknown', expires_in } })
      await fails(t, signIn(person, {}, kind), 'invalid_token', /40014/)
    }
    t.equal(tokensAskedFor() - tokenCount, 8)
  })

  await t.test('the issuer is the company, and the case of the member id does not matter', async (t) => {
    const { issuer, subject, usernames } = await signIn(person)
    t.same(
      { issuer, subject, usernames },
      { issuer: wecom.fake.app.client_id, subject: 'sunwu', usernames: ['SunWu'] },
    )
    t.notOk('errcode' in (await signIn(person)).claims)
  })

  await t.test('a member that the app may not see signs in without a name', async (t) => {
    const identity = await signIn({ ...person, hidden: true })
    t.match(identity, { subject: 'sunwu', usernames: ['SunWu'], display_name: null, email: null })
    t.same(identity.claims, { userid: 'SunWu' })
  })

  await t.test('only present members can sign in', async (t) => {
    await fails(t, signIn({ openid: 'o1' }), 'denied', /not a member/)
    for (const status of [2, 5]) await fails(t, signIn({ ...person, status }), 'denied', /disabled/)
  })

  for (const [call, body, reason] of [
    ['getuserinfo', { errcode: 50001 }, 'misconfigured'],
    ['getuserinfo', { errcode: 50002 }, 'denied'],
    ['getuserinfo', { errcode: '0', userid: 'SunWu' }, 'exchange'],
    ['getuserinfo', { errcode: 0, userid: ['SunWu'] }, 'exchange'],
    ['getuserinfo', { errcode: 0, userid: '', openid: 'o1' }, 'exchange'],
    ['getuserinfo', { errcode: 0, openid: 7 }, 'exchange'],
    ['gettoken', { errcode: 60020 }, 'misconfigured'],
    ['gettoken', { errcode: 0, access_token: 7, expires_in: 7200 }, 'exchange'],
    ['user/get', { errcode: 45009, ...person }, 'exchange'],
    ['user/get', { errcode: 0, ...person, userid: 'Another' }, 'exchange'],
  ] as const)
    await t.test(`${call} with ${JSON.stringify(body).slice(0, 60)}`, async (t) => {
      wecom.fake.break(call, { body })
      await fails(t, signIn(person), reason, /WeCom/)
    })

  await t.test('an error code that is not a number is not repeated', async (t) => {
    wecom.fake.break('getuserinfo', { body: { errcode: 'see https://127.0.0.1/', userid: 'SunWu' } })
    await fails(t, signIn(person), 'exchange', /no usable content/)
  })

  await t.test('the login page receives the application', async (t) => {
    t.ok(made.required.includes('agent_id'))
    t.equal((await made.authorize(settings, challenge, never)).searchParams.get('agentid'), '1000002')
  })
})
