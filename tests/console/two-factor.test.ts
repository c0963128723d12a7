import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { createFrozenClock } from '../support/clock.ts'
import { openConsole } from '../support/console.ts'
import { startServer } from '../support/server.ts'

const passwordOf = (username: string) => `${username}-password-1`

/** A frozen clock, so that no code of an app becomes too old while the browser works. */
const clock = createFrozenClock()

/** The code of an app so many steps from now; each is accepted once. */
const codeOf = (secret: string, steps: number) =>
  generateSync({ secret, epoch: clock.seconds() + steps * 30 })

/** The device of a person, which confirms every passkey by itself. */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

t.test('two-factor sign-in in a browser', { skip: onlyLong || noChromium }, async (t) => {
  const [server, browser] = await Promise.all([
    startServer(t, { clock, config: { plugins: { 'two-factor': { required_for: ['admin'] } } } }),
    startChromium(t),
  ])
  // Passkeys need a name.
  const url = server.url.replace('127.0.0.1', 'localhost')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const signOut = async (page: Page) => {
    await button(page, 'Sign out').click()
    await heading(page, 'Sign in')
  }
  /** Waits until the sign-in is complete. */
  const arrive = (page: Page) =>
    page.locator('input[name=username],input[name=code]').waitFor({ state: 'detached' })
  const enterPassword = async (page: Page, username: string) => {
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(username))
    await button(page, 'Sign in').click()
  }

  await server.createUser({ username: 'ann' })
  const { page, faults } = await openConsole(browser, url, {
    path: '/account',
    username: 'ann',
    password: passwordOf('ann'),
  })
  let secret = ''
  let recovery: string[] = []

  await t.test('an app is set up with a QR code or a key, and recovery codes are shown once', async (t) => {
    const section = page.getByRole('region', { name: 'Two-factor sign-in' })
    await button(page, 'Set up').click()
    const sheet = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    await sheet.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    secret = (await sheet.locator('code').textContent())!.replaceAll(' ', '')
    t.match(secret, /^[A-Z2-7]{32}$/)
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await sheet.getByLabel('App code').fill('000000')
    await button(page, 'Turn on').click()
    await sheet.getByRole('alert').getByText('The code is invalid').waitFor()
    await sheet.getByLabel('App code').fill(codeOf(secret, -1))
    await button(page, 'Turn on').click()

    const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
    recovery = (await codes.locator('code,pre').first().textContent())!.trim().split('\n')
    t.equal(recovery.length, 10)
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()])
    t.equal(download.suggestedFilename(), 'recovery-codes.txt')
    await codes.getByRole('button', { name: 'Close' }).first().click()
    await section.getByText('10 recovery codes left').waitFor()
  })

  await t.test('a sign-in asks for the code in a second step, or for a recovery code', async (t) => {
    await signOut(page)
    await enterPassword(page, 'ann')
    await page.getByLabel('App code').fill('000000')
    await button(page, 'Sign in').click()
    await page.getByRole('alert').getByText('The code is invalid').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.getByLabel('App code').fill(codeOf(secret, 0))
    await button(page, 'Sign in').click()
    await arrive(page)

    await page.goto('/account')
    await signOut(page)
    await enterPassword(page, 'ann')
    await button(page, 'Use a recovery code').click()
    await page.getByLabel('Recovery code').fill(recovery[0]!)
    await button(page, 'Sign in').click()
    await arrive(page)
    await page.goto('/account')
    await page.getByText('9 recovery codes left').waitFor()
  })

  await t.test('a passkey is added, signs in, is renamed and deleted', async (t) => {
    await plugIn(page)
    await button(page, 'Add passkey').click()
    const sheet = page.getByRole('dialog', { name: 'Add passkey' })
    t.match(await sheet.getByLabel('Name').inputValue(), /Chrome on Linux/)
    await sheet.getByLabel('Name').fill('Laptop')
    await button(page, 'Continue').click()
    const section = page.getByRole('region', { name: 'Passkeys' })
    await section.getByText('Laptop').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])

    await signOut(page)
    await button(page, 'Sign in with a passkey').click()
    await arrive(page)
    await page.goto('/account')
    await button(page, 'Actions for Laptop').click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Phone')
    await button(page, 'Save').click()
    await button(page, 'Actions for Phone').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await section.getByText('No passkeys').waitFor()
  })

  await t.test('an account for which it is required sets it up before anything else', async (t) => {
    const { page, faults } = await openConsole(browser, url, { path: '/people' })
    await heading(page, 'Set up two-factor sign-in')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.reload()
    await button(page, 'Continue').click()
    const secret = (await page.locator('code').textContent())!.replaceAll(' ', '')
    await page.getByLabel('App code').fill(codeOf(secret, 0))
    await button(page, 'Turn on').click()
    await button(page, 'I have stored them').click()
    await heading(page, 'People')

    await page.getByText('Two-factor').first().waitFor()
    await page.getByRole('button', { name: 'ann' }).click()
    await button(page, 'Reset two-factor sign-in').click()
    const dialog = page.getByRole('dialog', { name: 'Reset two-factor sign-in for ann?' })
    await dialog.getByRole('button', { name: 'Reset two-factor sign-in' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await server.request('GET', '/users/ann')
    t.notOk(body.second_factors)
    t.strictSame(faults, [])
  })
  t.strictSame(faults, [])
})
