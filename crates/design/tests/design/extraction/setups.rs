//! The setup of states: rule L3.

use casebook_design::Characteristic;

use crate::support::{analysis, same};

fn setups(ruby: &str) -> String {
    let line = |found: &Characteristic| {
        let class = found.setup.class.as_deref().unwrap_or("-");
        format!("{} {} {class}", found.name, found.setup.kind.as_str())
    };
    let found = analysis(ruby).characteristics;
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Checks the setups of conditions in a model class.
#[track_caller]
fn of_record(declaration: &str, conditions: &str, expected: &str) {
    let ruby = format!(
        "class Cart < ApplicationRecord\n{declaration}\ndef m(user, n)\n{conditions}\nend\nend"
    );
    same(&ruby, &setups(&ruby), expected);
}

#[test]
fn the_first_rule_that_applies() {
    let conditions = "
      a if session[:user_id]
      b if cookies[:token] == 'x'
      c if pay!
      d if Time.current > expires_at
      e if expires_at.past?
      f if updated_at < 3.days.ago
      g if ENV['REGION'] == 'eu'
      h if File.exist?('lock')
      i if Net::HTTP.get(uri) == 'ok'
      j if total > 5";
    let elsewhere = "session_user_id_present action -\ncookies_token action -\npay_present action -\nexpires_at action -\n\
         expires_at_past action -\nupdated_at action -\nenv_region action -\nfile_present action -\nhttp_get action -\n\
         total data -";
    let plain = format!("class Cart\ndef m\n{conditions}\nend\nend");
    same(&plain, &setups(&plain), elsewhere);
    let in_a_record = elsewhere
        .replace("pay_present action -", "pay_present action Cart")
        .replace("total data -", "total factory Cart");
    of_record("", conditions, &in_a_record);
}

#[test]
fn parameters_are_not_attributes_of_the_record() {
    of_record(
        "",
        "a if n > 5\nb if user.active?\nsum = items.sum\nc if sum > 5\nd if @paid\nitems.each { |item| e if item.late? }",
        "n data -\nuser_active data -\nsum factory Cart\npaid_present factory Cart\nitem_late data -",
    );
}

#[test]
fn states_of_a_state_machine_are_reached_by_transitions() {
    let conditions = "case stage\nwhen 'filed' then 1\nwhen 'settled' then 2\nend\na if stage == 'filed'\nb if settled?\nc if late?";
    let plain =
        "stage factory Cart\nstage_filed factory Cart\nsettled factory Cart\nlate factory Cart";
    let watched =
        "stage action Cart\nstage_filed action Cart\nsettled action Cart\nlate factory Cart";
    let machine = |event: &str| {
        format!("aasm column: :stage do\nstate :filed, initial: true\nstate :settled\n{event}\nend")
    };
    let transitions = "transitions from: :filed, to: :settled";
    of_record(&machine(""), conditions, plain);
    of_record(
        &machine(&format!("event(:settle) {{ {transitions} }}")),
        conditions,
        plain,
    );
    for event in [
        format!("event(:settle) {{ {transitions}, guard: :paid? }}"),
        format!("event(:settle, after: :tell) {{ {transitions} }}"),
        format!("event :settle do\nbefore {{ tell }}\n{transitions}\nend"),
        "state :lost, before_enter: :tell".to_owned(),
    ] {
        of_record(&machine(&event), conditions, watched);
    }
    let callbacks = "state_machine :stage, initial: :filed do\nbefore_transition any => :settled, do: :tell\n\
         event(:settle) { transition filed: :settled }\nend";
    of_record(callbacks, conditions, watched);
    // A class with a lifecycle is a model, whatever its superclass is.
    let ruby = format!(
        "class Cart\n{}\ndef m\nx if stage == 'filed'\ny if late?\nend\nend",
        machine("")
    );
    same(&ruby, &setups(&ruby), "stage factory Cart\nlate data -");
}
