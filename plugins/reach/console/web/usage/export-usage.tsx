import { Button, Menu } from '@mantine/core'
import { saveBlob } from '../agents/files.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { readFailure } from '../server/failure.ts'
import { send } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { ChevronDown } from '../ui/icons.ts'
import { showToast } from '../ui/toast.tsx'
import { useAction } from '../ui/use-action.ts'
import type { UsageQuery } from './use-usage.ts'

interface Props extends Pick<UsageQuery, 'whose'> {
  /** Unix seconds. */
  from: number
  to: number
}

const WORDS = {
  day: 'usage.by_day',
  model: 'usage.by_model',
  agent: 'usage.by_agent',
  user: 'usage.by_person',
  group: 'usage.by_group',
} satisfies Record<string, WordKey>

type By = keyof typeof WORDS

/** Saves the spending of a period as a file for spreadsheets. */
export function ExportUsage({ whose, from, to }: Props) {
  const { username } = useAccount()
  const { features } = useFacts()
  const { isBusy, run } = useAction()
  const save = (by: By) =>
    run(async () => {
      const query = {
        by,
        from: String(from),
        to: String(to),
        format: 'csv',
        ...(whose === 'own' && { username }),
      } as const
      await send(client.GET('/usage/export', { params: { query }, parseAs: 'blob' })).then(
        (data) => saveBlob(data as unknown as Blob, `usage-by-${by}.csv`),
        (error) => showToast(readFailure(error).message),
      )
    })
  const keys = (Object.keys(WORDS) as By[]).filter(
    (by) => whose === 'all' || (by !== 'user' && by !== 'group'),
  )
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" loading={isBusy} rightSection={<ChevronDown size={14} aria-hidden />}>
          {t('usage.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('usage.export_about')}</Menu.Label>
        {keys
          .filter((by) => by !== 'group' || features.groups)
          .map((by) => (
            <Menu.Item key={by} onClick={() => void save(by)}>
              {t(WORDS[by])}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
