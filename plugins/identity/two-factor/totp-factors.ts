import { createHash, randomBytes } from 'node:crypto'
import { AppError, isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { TotpFactorDocument, TotpSetupDocument } from './types.ts'

/** The time that a user has to set up an app. */
const SETUP_SECONDS = 900

/** The result of a code: accepted as one of the app or as a recovery code, wrong, or not needed by the account. */
export type CodeAnswer = 'totp' | 'recovery_code' | 'wrong' | 'not_needed'

/** The authenticator apps of accounts and their recovery codes. */
export type TotpFactors = ReturnType<typeof createTotpFactors>

/** The purposes for which the secrets are sealed. */
const purposes = {
  factor: (user_id: string) => `totp:${user_id}`,
  setup: (user_id: string) => `totp_setup:${user_id}`,
}

/** Creates the store of authenticator apps. */
export function createTotpFactors({
  collections: { totp_factors, totp_setups },
  secrets,
  clock,
  ids,
}: Pick<Cradle, 'collections' | 'secrets' | 'clock' | 'ids'>) {
  const find = (user_id: string) => totp_factors.findOne({ _id: user_id })

  /** Accepts a code of the app, unless it or a later one was accepted before. */
  const acceptTotp = async (factor: TotpFactorDocument, code: string): Promise<boolean> => {
    const { _id, factor_id, secret } = factor
    const step = await findStep(secrets.open(secret, purposes.factor(_id)), code, clock.seconds())
    if (step === undefined) return false
    const { modifiedCount } = await totp_factors.updateOne(
      { _id, factor_id, last_step: { $lt: step } },
      { $set: { last_step: step, last_used_at: clock.seconds() } },
    )
    return modifiedCount > 0
  }

  /** Accepts a recovery code, which is used up. */
  const acceptRecoveryCode = async ({ _id, factor_id }: TotpFactorDocument, code: string) => {
    const recovery_hashes = hashRecoveryCode(_id, code)
    const { modifiedCount } = await totp_factors.updateOne(
      { _id, factor_id, recovery_hashes },
      { $pull: { recovery_hashes }, $set: { last_used_at: clock.seconds() } },
    )
    return modifiedCount > 0
  }

  const findSetup = async (user_id: string, session_id: string): Promise<TotpSetupDocument> => {
    const setup = await totp_setups.findOne({ _id: user_id, session_id })
    if (!setup || setup.expires_at <= clock.seconds()) throw new AppError('TOTP_NOT_BEGUN')
    return setup
  }

  /** Replaces the app of an account by a new one. Throws TOTP_NOT_BEGUN if another app was stored meanwhile. */
  const store = async (factor: TotpFactorDocument, { replaces }: TotpSetupDocument): Promise<void> => {
    if (replaces !== null) {
      const { matchedCount } = await totp_factors.replaceOne({ _id: factor._id, factor_id: replaces }, factor)
      if (matchedCount === 0) throw new AppError('TOTP_NOT_BEGUN')
      return
    }
    try {
      await totp_factors.insertOne(factor)
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('TOTP_NOT_BEGUN', {}, { cause: error })
      throw error
    }
  }

  const hashAll = (user_id: string, codes: readonly string[]) =>
    codes.map((code) => hashRecoveryCode(user_id, code))

  return {
    find,

    /** Begins to set up an app in a session, in place of a setup that was begun before; returns its secret. */
    async begin(user_id: string, session_id: string): Promise<string> {
      const [secret, factor] = await Promise.all([makeTotpSecret(), find(user_id)])
      const expires_at = clock.seconds() + SETUP_SECONDS
      const setup = {
        setup_id: ids.make(),
        session_id,
        replaces: factor?.factor_id ?? null,
        secret: secrets.seal(secret, purposes.setup(user_id)),
        expires_at,
        delete_at: new Date(expires_at * 1000),
      }
      await totp_setups.replaceOne({ _id: user_id }, setup, { upsert: true })
      return secret
    },

    /** Takes the app into use; returns its recovery codes, or undefined if the code is wrong. Throws TOTP_NOT_BEGUN. */
    async confirm(user_id: string, session_id: string, code: string): Promise<string[] | undefined> {
      const setup = await findSetup(user_id, session_id)
      const secret = secrets.open(setup.secret, purposes.setup(user_id))
      const now = clock.seconds()
      const last_step = await findStep(secret, code, now)
      if (last_step === undefined) return undefined
      const { deletedCount } = await totp_setups.deleteOne({ _id: user_id, setup_id: setup.setup_id })
      if (deletedCount === 0) throw new AppError('TOTP_NOT_BEGUN')
      const codes = makeRecoveryCodes()
      const factor: TotpFactorDocument = {
        _id: user_id,
        factor_id: ids.make(),
        secret: secrets.seal(secret, purposes.factor(user_id)),
        last_step,
        recovery_hashes: hashAll(user_id, codes),
        confirmed_at: now,
        last_used_at: now,
      }
      await store(factor, setup)
      return codes
    },

    /** Checks a code of an account's app or a recovery code, and uses it up. */
    async accept(user_id: string, code: string): Promise<CodeAnswer> {
      const factor = await find(user_id)
      if (!factor) return 'not_needed'
      if (parseRecoveryCode(code)) return (await acceptRecoveryCode(factor, code)) ? 'recovery_code' : 'wrong'
      return (await acceptTotp(factor, code)) ? 'totp' : 'wrong'
    },

    /** Makes new recovery codes, which replace the old ones. Throws TOTP_OFF. */
    async renewRecoveryCodes(user_id: string): Promise<string[]> {
      const codes = makeRecoveryCodes()
      const { matchedCount } = await totp_factors.updateOne(
        { _id: user_id },
        { $set: { recovery_hashes: hashAll(user_id, codes) } },
      )
      if (matchedCount === 0) throw new AppError('TOTP_OFF')
      return codes
    },

    /** Removes the app of an account, and an unfinished setup. */
    async remove(user_id: string): Promise<void> {
      await totp_setups.deleteOne({ _id: user_id })
      await totp_factors.deleteOne({ _id: user_id })
    },

    /** Returns the accounts that have an app. */
    async listHolders(user_ids: readonly string[]): Promise<Set<string>> {
      const factors = await totp_factors
        .find({ _id: { $in: [...user_ids] } }, { projection: { _id: 1 } })
        .toArray()
      return new Set(factors.map(({ _id }) => _id))
    },
  }
}

const CODES = 10
const CODE_CHARACTERS = 16
/** Without letters that look like others. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const FORM = new RegExp(`^[${ALPHABET}]{${CODE_CHARACTERS}}$`)

/** Makes ten recovery codes of 80 random bits, as people write them: `xxxx-xxxx-xxxx-xxxx`. */
const makeRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => {
    const characters = Array.from(randomBytes(CODE_CHARACTERS), (byte) => ALPHABET[byte & 31])
    return characters.join('').replace(/(?<=.)(?=(.{4})+$)/g, '-')
  })

/** Returns the plain form of what a user entered as a recovery code; undefined if it has another form. */
function parseRecoveryCode(text: string): string | undefined {
  const plain = text.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
  return FORM.test(plain) ? plain : undefined
}

/** Hashes a recovery code of an account; codes are random and long, so that a fast hash suffices. */
const hashRecoveryCode = (user_id: string, code: string): string =>
  createHash('sha256')
    .update(`${user_id} ${parseRecoveryCode(code)}`)
    .digest('base64url')

/** The most steps of 30 seconds that a clock may be ahead or behind. */
const TOLERANCE_SECONDS = 30

/** Imports the library with the first code, because most sign-ins need none. */
const loadLibrary = () => import('otplib')

/** Makes a secret of 160 bits in Base32. */
const makeTotpSecret = async (): Promise<string> => (await loadLibrary()).generateSecret()

/** Writes the address that authenticator apps read from a QR code. */
export const writeOtpauthUrl = async (parts: {
  issuer: string
  label: string
  secret: string
}): Promise<string> => (await loadLibrary()).generateURI(parts)

/** Returns the time step of a code, which may be the step before or after the present one; undefined if it is wrong. */
async function findStep(secret: string, text: string, seconds: number): Promise<number | undefined> {
  const token = text.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const { verify } = await loadLibrary()
  const verdict = await verify({ secret, token, epoch: seconds, epochTolerance: TOLERANCE_SECONDS })
  return verdict.valid && 'timeStep' in verdict ? verdict.timeStep : undefined
}
