import { AppError, isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'
import { hashRecoveryCode, makeRecoveryCodes, parseRecoveryCode } from './recovery-codes.ts'
import { findStep, makeTotpSecret } from './totp-codes.ts'
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
