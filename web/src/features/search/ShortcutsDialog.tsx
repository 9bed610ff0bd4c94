import { useWords } from '@/i18n'
import { TAKEOVER_KEYS } from '@/lib/addresses'
import { Dialog } from '@/ui/Dialog'
import { Kbd } from '@/ui/Kbd'
import { words } from './searchWords'

type Word = keyof typeof words.en
type Group = [title: Word, shortcuts: [keys: string[], about: Word][]]

const GROUPS: Group[] = [
  [
    'keys.everywhere',
    [
      [['mod+k'], 'keys.search'],
      [['mod+shift+o'], 'keys.new'],
      [['mod+b'], 'keys.sidebar'],
      [['mod+j'], 'keys.panel'],
      [['alt+up'], 'keys.previous'],
      [['alt+down'], 'keys.next'],
      [['?'], 'keys.help'],
    ],
  ],
  [
    'keys.session',
    [
      [['enter'], 'keys.send'],
      [['shift+enter'], 'keys.line'],
      [['escape'], 'keys.stop'],
      [['mod+.'], 'keys.pause'],
      [[TAKEOVER_KEYS], 'keys.takeover.start'],
      [['/'], 'keys.composer'],
      [['.'], 'keys.point'],
    ],
  ],
  [
    'keys.feed',
    [
      [['j', 'k'], 'keys.row'],
      [['c'], 'keys.copy'],
      [['end'], 'keys.latest'],
      [['F2'], 'keys.rename'],
    ],
  ],
  [
    'keys.viewer',
    [
      [['left', 'right'], 'keys.step'],
      [['home', 'end'], 'keys.ends'],
      [['space'], 'keys.play'],
      [['+', '-', '0'], 'keys.zoom'],
      [['o'], 'keys.phase'],
    ],
  ],
  ['keys.takeover', [[['F8'], 'keys.release']]],
]

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const t = useWords(words)
  return (
    <Dialog open onClose={onClose} title={t('settings.shortcuts')} width="max-w-3xl">
      <div className="gap-x-8 md:columns-2">
        {GROUPS.map(([title, shortcuts]) => (
          <section key={title} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-xs font-medium text-faint">{t(title)}</h3>
            <dl>
              {shortcuts.map(([keys, about]) => (
                <div
                  key={about}
                  className="flex items-center justify-between gap-4 border-b border-line py-1 text-sm last:border-0"
                >
                  <dt className="min-w-0">{t(about)}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {keys.map((key) => (
                      <Kbd key={key} keys={key} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="mt-2 text-xs text-muted">{t('keys.off')}</p>
    </Dialog>
  )
}
