"""All rules of form, in the order in which a person would fix a notebook.

A rule takes a page and returns its problems, one short line each; none means that it is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.notebooks import rules_code, rules_gaps, rules_outputs, rules_prose
from tests.notebooks.page import Page

Rule = Callable[[Page], list[str]]

RULES: tuple[Rule, ...] = (
    rules_prose.name_has_the_pattern,
    rules_prose.title_and_promise_come_first,
    rules_prose.opener_is_complete,
    rules_prose.map_comes_early,
    rules_prose.steps_are_numbered,
    rules_prose.middle_is_complete,
    rules_prose.closer_is_complete,
    rules_prose.quiz_has_the_form,
    rules_prose.recap_mirrors_the_objectives,
    rules_prose.pictures_have_alternative_text,
    rules_prose.links_lead_somewhere,
    rules_prose.a_way_to_report_back_is_linked,
    rules_code.begins_from_its_own_state,
    rules_code.no_package_name_is_defined_again,
    rules_code.nothing_that_differs_from_run_to_run,
    rules_code.uncompared_cells_have_a_reason,
    rules_gaps.every_gap_has_a_starter,
    rules_gaps.every_gap_has_a_heading,
    rules_code.counts_are_1_to_n,
    rules_outputs.no_stderr_and_no_errors,
    rules_outputs.no_trace_of_a_machine,
    rules_outputs.plots_stand_beside_their_numbers,
    rules_outputs.file_is_in_normal_form,
)
