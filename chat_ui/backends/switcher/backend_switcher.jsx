// The backend in use, and the menu to choose another. The menu opens over a select, which has the choice for tools that
// look for one.

import { DropdownMenu } from "@radix-ui/themes";
import { ChevronsUpDown, Film, Pencil, Plus, Trash2 } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { allows, painted } from "../../page/painted/options.js";
import { useCommand } from "../../page/commands/commands.js";
import { t } from "../../page/languages/language.js";
import { OwnValue } from "../settings/own_value.jsx";
import { MenuFrame, leavingFor } from "../../page/shared/menu.jsx";
import { ago, inGroups, inWords, moment } from "./outcomes.js";

const OPENING_KEYS = ["ArrowUp", "F4"];

function beginAtTheChosen(event) {
  event.preventDefault();
  event.currentTarget.querySelector("[aria-checked=true]")?.focus({ preventScroll: true });
}

// A recording answers whether or not its backend does.
const Sign = ({ last, recorded }) =>
  recorded ? (
    <Film className="backend-recorded" size={14} aria-hidden />
  ) : (
    <span className="backend-dot" data-outcome={last?.outcome ?? ""} aria-hidden="true" />
  );

function Choice({ id, name, last, recorded }) {
  return (
    <DropdownMenu.RadioItem value={id} textValue={name} className="backend-choice">
      <Sign last={last} recorded={recorded} />
      <span className="backend-choice-words">
        <span className="backend-choice-name" dir="auto">
          {name}
        </span>
        <span className="backend-choice-outcome">{recorded ?? inWords(last, (at) => ago(at, Date.now() / 1000))}</span>
      </span>
    </DropdownMenu.RadioItem>
  );
}

function Choices({ offered, outcomes, recordings, chosen, onChoose }) {
  const { given, own } = inGroups(offered, outcomes);
  const choicesOf = (backends) =>
    backends.map(([id, name]) => <Choice key={id} id={id} name={name} last={outcomes[id]} recorded={recordings[id]} />);
  return (
    <DropdownMenu.RadioGroup value={chosen} onValueChange={onChoose}>
      {choicesOf(given)}
      {own.length > 0 && <DropdownMenu.Label>{t("Your own")}</DropdownMenu.Label>}
      {choicesOf(own)}
    </DropdownMenu.RadioGroup>
  );
}

const Change = ({ sign: Sign, label, onSelect }) => (
  <DropdownMenu.Item onSelect={onSelect} className="backend-change">
    <Sign size={14} aria-hidden />
    <span>{label}</span>
  </DropdownMenu.Item>
);

const Changes = ({ name, isOwn, onAdd, onEdit, onRemove }) => (
  <DropdownMenu.Group className="backend-changes">
    <DropdownMenu.Separator />
    {isOwn && <Change sign={Pencil} label={t("Edit {name}…", { name })} onSelect={onEdit} />}
    {isOwn && <Change sign={Trash2} label={t("Remove {name}", { name })} onSelect={onRemove} />}
    <Change sign={Plus} label={t("Add a backend…")} onSelect={onAdd} />
  </DropdownMenu.Group>
);

/** Choose `id` in a select, as a person would. */
function choose(select, id) {
  if (select.value === id) return;
  select.value = id;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

function Switcher(props) {
  const { label, offered, selected, outcomes, recordings, acknowledged, onReport, onAdd, onEdit, onRemove } = props;
  const [isOpen, setOpen] = useState(false);
  const select = useRef(null);
  const openByKey = (event) => {
    if (!OPENING_KEYS.includes(event.key)) return;
    event.preventDefault();
    setOpen(true);
  };
  useCommand("backend", (id) => choose(select.current, id));
  useCommand("add-backend", allows("own_backends") && onAdd);
  // The server may not have sent the newest choice yet.
  const chosen = isOpen ? select.current.value : selected;
  const trigger = (
    <OwnValue
      ref={select}
      type={undefined}
      control="select"
      value={selected}
      acknowledged={acknowledged}
      onReport={onReport}
      className="backend-select"
      aria-label={t("Backend")}
      title={t("{backend}. {outcome}", {
        backend: label,
        outcome: recordings[selected] ?? inWords(outcomes[selected], moment),
      })}
      onKeyDown={openByKey}
      // A browser opens its own list of a select at these.
      onMouseDown={(event) => event.preventDefault()}
      onTouchEnd={(event) => event.preventDefault()}
    >
      {offered.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </OwnValue>
  );
  return (
    <MenuFrame
      button={trigger}
      state={{ open: isOpen, onOpenChange: setOpen }}
      color="gray"
      className="backend-menu"
      aria-label={t("Backend")}
      // The select would name it after the chosen item.
      aria-labelledby={undefined}
      {...{ onEntryFocus: beginAtTheChosen }}
    >
      <Choices
        offered={offered}
        outcomes={outcomes}
        recordings={recordings}
        chosen={chosen}
        onChoose={(id) => choose(select.current, id)}
      />
      {allows("own_backends") && (
        <Changes
          name={offered.find(([id]) => id === chosen)?.[1]}
          isOwn={chosen.startsWith("own:")}
          onAdd={leavingFor(select, onAdd)}
          onEdit={leavingFor(select, () => onEdit(chosen))}
          onRemove={leavingFor(select, () => onRemove(chosen))}
        />
      )}
    </MenuFrame>
  );
}

export function BackendSwitcher(props) {
  const { label, selected, offered, outcomes, recordings, isHydrated } = props;
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  useLayoutEffect(() => {
    if (isHydrated) delete document.documentElement.dataset.backend;
  }, [isHydrated]);
  // The server sends other offered backends after the first paint.
  const isKnown = isMounted && offered.some(([id]) => id === selected);
  const isChoice = isKnown && (offered.length > 1 || allows("own_backends"));
  return (
    <div className="backend" data-choice={isChoice || undefined}>
      <Sign last={outcomes[selected]} recorded={recordings[selected]} />
      <span
        className="backend-label"
        dir="auto"
        data-of-backend="label"
        title={painted("label", label)}
        aria-hidden={isChoice || undefined}
      >
        {painted("label", label)}
      </span>
      {isChoice && <ChevronsUpDown className="backend-chevron" size={12} aria-hidden />}
      {isChoice && <Switcher {...props} />}
    </div>
  );
}
