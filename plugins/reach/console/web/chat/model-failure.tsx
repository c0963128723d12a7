import { Link } from '@tanstack/react-router'
import { t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { useAccount } from '../session/account.ts'
import { Failure } from '../ui/failure.tsx'
import classes from './chat-failure.module.css'
import type { ModelFailureCode } from './chat-failure.tsx'

interface Props {
  error: unknown
  code: ModelFailureCode
  onRetry?: (() => void) | undefined
}

/** The words for people who cannot change a provider. */
const FOR_OTHERS: Record<ModelFailureCode, WordKey> = {
  NO_MODEL: 'chat.no_model',
  MODEL_DISABLED: 'chat.model_gone',
  MODEL_NOT_FOUND: 'chat.model_gone',
  MODEL_AUTH_FAILED: 'chat.model_refused',
  MODEL_QUOTA_EXHAUSTED: 'chat.model_unpaid',
}

/** A failure that a setting of a provider ends: it leads there, or to the administrator. */
export default function ModelFailure({ error, code, onRetry }: Props) {
  const isAdmin = useAccount().role === 'admin'
  const { data: providers = [], isPending } = api.useQuery('get', '/providers')
  const { message, request_id } = readFailure(error)
  const provider = providers.find(({ name }) => isNamed(message, name))
  if (isPending) return null
  if (isAdmin || provider?.scope === 'user')
    return (
      <Failure
        error={error}
        onRetry={onRetry}
        action={
          <Link to="/models" search={{ provider: provider?.name }} className={classes.link}>
            {provider ? t('chat.to_provider', { name: provider.name }) : t('chat.to_models')}
          </Link>
        }
      />
    )
  const words = t(FOR_OTHERS[code])
  return <Failure error={{ code, message: words, request_id }} onRetry={onRetry} />
}

/** True if a message names a provider, or a model of it, in quotation marks. */
const isNamed = (message: string, name: string) =>
  ['"', '“'].some(
    (mark) => message.includes(`${mark}${name}`) && /^["”:]/.test(message.split(`${mark}${name}`)[1]!),
  )
