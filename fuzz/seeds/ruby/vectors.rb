def ship(parcel)
  return :skipped unless parcel.packed?
  raise Overweight if parcel.weight > 30

  dispatch(parcel)
end

def deliver(parcel)
  unless parcel.packed?
    raise NotPacked
  end

  case parcel.carrier
  when :bike then ride(parcel)
  when :van then drive(parcel)
  end
end

def renew(card)
  return if card.lost?
  return if card.suspended?

  if card.virtual?
    reissue(card)
  else
    mail(card)
  end
end

def greet(guest)
  unless guest.returning?
    welcome
  else
    welcome_back
  end
end

def triage(ticket)
  if ticket.assigned?
    ping(ticket)
  else
    ticket.urgent? ? escalate(ticket) : queue(ticket)
  end
end

def fare(rider)
  if rider.age < 6
    free_pass(rider)
  elsif rider.age < 16
    half_fare(rider)
  else
    full_fare(rider)
  end
end

def medal(score)
  if score >= 90
    :gold
  elsif score >= 70
    :silver
  else
    :bronze
  end
end

def icon(file)
  if file.kind == "pdf"
    :page
  elsif file.kind == "png"
    :image
  else
    :blank
  end
end

def color(task)
  if task.done?
    :green
  elsif task.blocked?
    :red
  else
    :grey
  end
end

def next_step(cart)
  if cart.nil?
    :browse
  elsif cart.items_count > 0
    :checkout
  else
    :shop
  end
end

def handler(request)
  case request.verb
  when :get, :head then reader
  when :post then writer
  else fallback
  end
end

def allowed?(staff, action)
  case staff.role
  when :manager
    case action
    when :approve then log(action)
    when :reject then log(action)
    end
  when :clerk
    nil
  end
end

def encode(value)
  case value
  when Hash then pairs(value)
  when Array then list(value)
  else scalar(value)
  end
end

def wind(speed)
  case speed
  when 0..19 then calm!
  when 20..61 then breeze!
  else storm!
  end
end

def apply(change)
  case change
  in { op: :add, value: } then insert(value)
  in { op: :remove } then drop
  else
    ignore
  end
end

def fee(booking)
  rate = booking.weekend? ? 1.2 : 1.0
  booking.total * rate
end

def unlock(door, badge)
  if badge.active? && door.online?
    if door.manual?
      call_guard
    else
      door.open
    end
  end
end

def visit(page, viewer)
  if page.public? || viewer.member?
    page.cached? ? serve(page) : render_page(page)
  else
    viewer.invited? ? offer : deny
  end
end

def bulk?(order)
  if order.total >= 100 && order.total < 1000
    discount(order)
  end
end

def stale?(lock)
  if Time.current > lock.expires_at
    release(lock)
  end
end

def label(person)
  prefix = person.title.blank? ? "" : person.title
  return prefix if person.notes.empty?

  if person.manager
    note(person)
  end
end

def route(message)
  archive(message) if message.folder != "inbox"
  notify if message.origin == :system
end

def export(rows, header: true)
  header ? with_header(rows) : rows
end

def rename(album, title)
  if album.update(title: title)
    touch(album)
  else
    album.errors
  end
end

def price(seat)
  if seat.balcony?
    seat.matinee? ? 20 : 30
  else
    seat.matinee? ? 40 : 55
  end
end

def sorted(list, by: :date)
  case by
  when :date then list.sort_by(&:date)
  when :size then list.sort_by(&:size)
  end
end

def fetch(id)
  @cache ||= {}
  name = lookup(id) || "unknown"
  items = pool.select { |i| i.ready? }
  while busy
    wait
  end
  pool.push(strict: name.frozen?)
rescue Timeout::Error
  retry_later(id)
ensure
  close
end

def badge(session)
  if session&.user&.verified?
    :tick
  else
    :none
  end
end

def eligible?
  return false if closed?

  verified? || balance >= MINIMUM
end

def sweep(files)
  files.each do |file|
    next unless file.readable?

    file.size > LIMIT ? split(file) : keep(file)
  end
end

def run(job)
  if job.paused?
    return :later
  else
    job.lock
  end

  job.retry_count > 3 ? fail_job(job) : start(job)
end

def convert(code)
  raise Unknown, code unless SUPPORTED.include?(code)

  table.fetch(code)
end
