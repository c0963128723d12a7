import { Badge } from '@mantine/core'
import { t } from '../i18n/words.ts'

interface Props {
  is_owner: boolean
  /** The username of the owner; null if it belongs to the administrators. */
  owner: string | null
  /** True if everyone on the server can use it. */
  is_shared?: boolean
}

/** Says in a list who shares something with the account, or that the account shares it with everyone. */
export function SharedSign({ is_owner, owner, is_shared = false }: Props) {
  const isReceived = !is_owner && owner !== null
  if (!isReceived && !is_shared) return null
  return (
    <Badge variant="default" radius="sm" fw={500} tt="none">
      {isReceived ? t('sharing.from', { owner }) : t('sharing.with_everyone')}
    </Badge>
  )
}
