"""The report on an evaluation as a file. It is written in a process of its own: the answers are a backend's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from chat_ui.evaluation.changes import Change, Changes, Earlier
from chat_ui.evaluation.report.report import Report, report_html
from chat_ui.evaluation.run_folder import earlier_run, whole_file
from chat_ui.evaluation.summary import Summary
from chat_ui.rendering.exported_page.page_document import Look


def write_report(target: Path, run: Path, against: Path | None, look: Look) -> None:
    """Write the report on the run in a folder, compared with the one in the folder `against` if there is one.

    Raises:
        OSError: it cannot be written.
        RunFolderError: there is no run, or it is damaged.
    """
    conditions, results = earlier_run(run)
    earlier = None
    of_measures: Mapping[str, Change] = {}
    if against is not None:
        before, its_results = earlier_run(against)
        earlier = before, Earlier(its_results)
        changes = Changes()
        for was, now in earlier[1].beside(results):
            if was:
                changes.add([one.values for one in was], [one.values for one in now])
        of_measures = changes.of_measures()
    summary = Summary.of((one.values for one in results), times=1)
    with whole_file(target) as file:
        file.writelines(report_html(Report(conditions, summary, results, of_measures, earlier=earlier), look))
