import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Link2 } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { PublicAddress } from '../ui/public-address.tsx'
import { Section } from '../ui/section.tsx'
import { ShareFacts } from './share-facts.tsx'
import { addressOf, deleteShare, type Share } from './share-links.ts'

/** The links to conversations that the account has made. */
export function SharedLinks() {
  const shares = useRows('/shares')
  const [deleting, setDeleting] = useState<Share>()
  return (
    <Section title={t('shares.links')} about={t('shares.links_about')}>
      {shares.rows && shares.rows.length > 0 && <PublicAddress />}
      <List
        {...shares}
        label={t('shares.links')}
        keyOf={({ share_id }) => share_id}
        empty={<Empty title={t('shares.no_links')}>{t('shares.no_links_about')}</Empty>}
      >
        {(share) => (
          <ListRow
            icon={<Link2 size={16} aria-hidden />}
            title={share.title ?? t('chat.new_thread')}
            meta={<ShareFacts share={share} />}
            link={{ to: '/shared/$share', params: { share: share.share_id } }}
          >
            <CopyButton text={addressOf(share)} />
            <Button size="xs" variant="default" onClick={() => setDeleting(share)}>
              {t('common.delete')}
            </Button>
          </ListRow>
        )}
      </List>
      {deleting && (
        <Confirm
          title={t('shares.delete_title')}
          action={t('common.delete')}
          onConfirm={() => deleteShare(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          {t('shares.delete_about')}
        </Confirm>
      )}
    </Section>
  )
}
